"""Labels of data frames survive: into a joint distribution, through a channel, and out
again.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from messages import raised

import liftlib as ll
from liftlib.errors import DataError, InvalidDistribution, InvalidParameter

PEOPLE = {
    "illness": ["no", "no", "yes", "no", "yes", "no"],
    "age": ["old", "young", "old", "young", "old", "old"],
}
COUNTS = [[2, 2], [2, 0]]


def tables(columns):
    return {
        "pandas": pd.DataFrame,
        "polars": pl.DataFrame,
        "pyarrow": lambda of: pl.DataFrame(of).to_arrow(),
    }[columns]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_table_keeps_its_labels(library):
    if library == "pyarrow":
        pytest.importorskip("pyarrow")
    joint = ll.Joint.from_table(tables(library)(PEOPLE), secret="illness", public="age")
    assert (joint.secret, joint.public) == (("no", "yes"), ("old", "young"))
    np.testing.assert_allclose(joint.p, np.array(COUNTS) / 6)
    with raised(DataError):
        ll.Joint.from_table(tables(library)(PEOPLE), secret="ill", public="age")
    missing = tables(library)({**PEOPLE, "age": [None, *PEOPLE["age"][1:]]})
    with raised(DataError):
        ll.Joint.from_table(missing, secret="illness", public="age")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_counts_keep_their_labels(library):
    counts = {"illness": ["no", "yes"], "old": [2, 2], "young": [2, 0]}
    if library == "pyarrow":
        pytest.importorskip("pyarrow")
    table = (
        tables(library)(counts)
        if library != "pandas"
        else pd.crosstab(PEOPLE["illness"], np.array(PEOPLE["age"]))
    )
    joint = ll.Joint.from_counts(table)
    assert (joint.secret, joint.public) == (("no", "yes"), ("old", "young"))
    np.testing.assert_array_equal(joint.p, ll.Joint.from_counts(COUNTS).p)
    assert ll.Joint.from_counts(table, ["healthy", "ill"], "ab").secret == (
        "healthy",
        "ill",
    )


def test_margins_of_a_cross_table_are_refused():
    table = pd.crosstab(PEOPLE["illness"], np.array(PEOPLE["age"]), margins=True)
    with raised(InvalidDistribution):
        ll.Joint.from_counts(table)
    shares = [[0.1, 0.2, 0.3], [0.3, 0.4, 0.7], [0.4, 0.6, 1.0]]  # .1 + .2 is not .3
    names = ["a", "b", "All"], ["x", "y", "All"]
    with raised(InvalidDistribution):
        ll.Joint.from_counts(pd.DataFrame(shares, *names))


def test_a_frame_of_even_shares_has_no_margins():
    assert ll.Joint(pd.DataFrame(np.full((2, 2), 0.25))).public == (0, 1)


def test_sums_with_names_of_their_own_are_no_margins():
    table = pd.DataFrame([[1, 2, 3], [3, 4, 7], [4, 6, 10]], list("abc"), list("xyz"))
    assert ll.Joint.from_counts(table).public == ("x", "y", "z")


@pytest.mark.parametrize(
    "labels", [("a", "b", "c"), (20, 30, 40), ((1, 2), (3, 4), "x"), (True, 1.5, None)]
)
def test_a_joint_survives_its_frame(labels):
    joint = ll.Joint.from_counts(
        [[1, 0, 2], [3, 1, 1]], secret=["no", "yes"], public=labels
    )
    frame = joint.to_frame()
    assert frame.shape == (2, 3)
    again = ll.Joint(frame)
    assert (again.secret, again.public) == (joint.secret, joint.public)
    np.testing.assert_array_equal(again.p, joint.p)


PUBLIC = {
    "text": ("a", "b", "c"),
    "numbers": (20, 30, 40),
    "tuples": (("a", 1), ("b", 2), ("c", 3)),
}


@pytest.mark.parametrize("labels", PUBLIC)
@pytest.mark.parametrize(
    "mechanism",
    ["subset-merging", "optimal", "randomised-response", "conditional-reporting"],
)
def test_a_design_samples_labels(labels, mechanism):
    public = PUBLIC[labels]
    joint = ll.Joint.from_counts(
        [[4, 2, 1], [1, 2, 4]], secret=["no", "yes"], public=public
    )
    channel = ll.design(joint, ll.LIP(0.5), mechanism)
    assert (channel.inputs, channel.n_outputs) == (public, len(channel.outputs))
    codes = [0, 1, 2, 2, 0] * 20
    secrets = ["no", "yes", "yes", "no", "yes"] * 20 if channel.sees_secret else None
    coded = None if secrets is None else [joint.secret.index(s) for s in secrets]
    plain = ll.Channel(channel.kernel).sample(codes, coded, rng=3)
    drawn = channel.sample([public[code] for code in codes], secrets, rng=3)
    assert drawn.tolist() == [channel.outputs[y] for y in plain]


def test_a_column_of_any_library_is_sampled():
    channel = ll.Channel.merge([(0, 1), (2,)], 3, "abc")
    for column in (
        pd.Series(["c", "a"]),
        pl.Series(["c", "a"]),
        np.array(["c", "a"]),
        ["c", "a"],
        "ca",
    ):
        assert list(channel.sample(column)) == ["c", "a or b"]
    assert channel.sample(pd.Series(["c"], dtype="category")).tolist() == ["c"]
    assert channel.sample([2, 0]).tolist() == [1, 0]
    assert channel.sample([]).tolist() == []


def test_whole_numbers_are_labels_only_if_the_labels_are_other_whole_numbers():
    ages = ll.Channel.identity(3, (1, 2, 30))
    assert ages.sample([1, 2, 30]).tolist() == [1, 2, 30]
    with raised(InvalidParameter):
        ages.sample([0])
    assert ll.Channel.identity(3, (0, 1, 2)).sample([2]).tolist() == [2]


@pytest.mark.parametrize("x", [["a", "z"], [["a"]], [0.5], 7, [3]])
def test_unknown_labels_are_named(x):
    with raised(InvalidParameter):
        ll.Channel.identity(3, "abc").sample(x)


@pytest.mark.parametrize("rng", [-1, True, 1.5, "seed"])
def test_a_seed_is_a_whole_number(rng):
    with raised(InvalidParameter):
        ll.Channel([[0.5, 0.5]]).sample([0], rng=rng)


def test_a_seed_repeats_a_draw():
    channel, x = ll.Channel([[0.5, 0.5]]), np.zeros(40, int)
    expected = channel.sample(x, rng=np.random.default_rng(5))
    for rng in (5, np.int64(5)):
        np.testing.assert_array_equal(channel.sample(x, rng=rng), expected)


def test_labels_pass_through_composition_and_frames():
    joint = ll.Joint.from_counts(
        [[4, 2, 1], [1, 2, 4]], secret=["no", "yes"], public="abc"
    )
    first = ll.design(joint, ll.LIP(0.5), "optimal")
    both = first.compose(ll.Channel.constant(first.n_outputs))
    assert both.sample(["a"]).tolist() == [0]
    assert both.to_frame().index.tolist() == ["a", "b", "c"]
    seen = ll.design(joint, ll.LIP(0.5), "conditional-reporting").to_frame()
    assert seen.index.tolist() == [(s, x) for s in ("no", "yes") for x in "abc"]
    np.testing.assert_allclose(seen.sum(axis=1), 1)


def test_objects_show_what_they_are_called_for():
    joint = ll.Joint.from_counts(
        [[4, 2, 1], [1, 2, 4]], secret=["<b>no</b>", "yes"], public="abc"
    )
    channel = ll.design(joint, ll.LIP(0.5), "optimal")
    evaluation = ll.evaluate(joint, channel)
    assert repr(channel).startswith(
        f"Channel(3 symbols -> {channel.n_outputs} outputs, I(X;Y) = "
    )
    facts = repr(evaluation).splitlines()
    assert facts[1] == f"    nmi={evaluation.nmi:.4g},"
    assert f"    lip={evaluation.lip:.4g}," in facts
    assert max(map(len, facts)) <= 80
    for shown in (joint, channel, evaluation, ll.mechanisms, ll.LIP(0.5)):
        assert "<table" in shown._repr_html_()
        assert "<b>no" not in shown._repr_html_()
        assert len(repr(shown)) < 1000


def test_a_large_joint_is_shown_in_part():
    joint = ll.datasets.uniform_joint(300, 400, 0)
    assert len(joint._repr_html_()) < 20_000


def test_plots_draw_the_lifts_and_the_flows():
    joint = ll.Joint.from_counts(
        [[4, 2, 1], [1, 2, 4]], secret=["no", "yes"], public="abc"
    )
    channel = ll.design(joint, ll.LIP(0.5))
    written = {text.get_text() for text in joint.plot().texts}
    assert written == {f"{value:.2f}" for value in ll.lift(joint).ravel()}
    plane = joint.plot("plane", notions=ll.LIP(0.5), channel=channel)
    symbols = next(
        drawn for drawn in plane.collections if drawn.get_label() == "symbols"
    )
    np.testing.assert_allclose(
        symbols.get_offsets()[:, 1], np.log(ll.lift(joint).max(axis=0))
    )
    bands = channel.plot(joint)
    assert (
        len(bands.patches)
        == joint.n_public + channel.n_outputs + (channel.joint_xy(joint) > 0).sum()
    )
    plt.close("all")


def test_a_plot_without_matplotlib_names_the_remedy(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.delitem(sys.modules, "liftlib.plots", raising=False)
    monkeypatch.delattr(ll, "plots", raising=False)
    with raised(ll.errors.MissingExtra):
        ll.Joint([[0.5, 0.5]]).plot()


@pytest.mark.parametrize("method", ["tree", "qhull"])
def test_a_certificate_and_its_proof_show_their_numbers_in_a_line(method):
    joint = ll.datasets.uniform_joint(5, 30 if method == "tree" else 6, 0)
    certificate = ll.design(joint, ll.LIP(0.5), "optimal", method=method).certificate
    shown = f"value={certificate.value:.6g}, gap={certificate.gap:.2g})"
    assert repr(certificate) == f"ResponseCertificate({certificate.route!r}, {shown}"
    assert repr(certificate.solution).startswith("Solution(objective=")
    if method == "tree":
        proof = certificate.proof
        assert (
            repr(proof) == f"Proof(upper={proof.upper:.6g}, {proof.boxes} boxes,"
            f" {proof.size / 1000:.1f} kB)"
        )
    for one in (certificate, certificate.solution, certificate.proof):
        assert "array" not in repr(one)
        assert len(repr(one)) < 200


@pytest.mark.parametrize("mechanism", ["subset-response", "product"])
def test_every_certificate_is_short(mechanism):
    joint = ll.datasets.uniform_joint(3, 6, 0)
    notion = ll.SRLIP(0.5, (2, 3)) if mechanism == "product" else ll.LIP(0.5)
    certificate = ll.design(joint, notion, mechanism).certificate
    assert repr(certificate).startswith(
        f"{type(certificate).__name__}({certificate.route!r}, value="
    )
    assert len(repr(certificate)) < 100
