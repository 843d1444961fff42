"""Nothing leaks on the side."""

import contextlib
import itertools
import json
import multiprocessing
import os
import signal
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from messages import as_stored, raised
from scipy import stats

import liftlib as ll
import lifttables as tables
from liftlib.errors import BrokenNotion, DataError
from lifttables import files
from lifttables.encoding.columns import Column, Symbols
from lifttables.encoding.naming import texts_of_outputs
from lifttables.files import fresh_files, place
from lifttables.releases.ledger import ledger_next_to, read_ledger
from lifttables.releases.releasing import shuffled
from lifttables.sources.randomness import permutation

SIX = np.array([[30, 14, 25, 9, 40, 21], [22, 31, 12, 27, 19, 50]])


def rows_of(counts, secret="s", public="x"):
    """A table with these counts, sorted by the secret."""
    s, x = (at.repeat(counts.ravel()) for at in np.indices(counts.shape).reshape(2, -1))
    return pl.DataFrame({secret: [f"s{i}" for i in s], public: [f"x{i}" for i in x]})


def release_file(folder, frame, notion, name="out.csv", **more):
    frame.write_csv(folder / "in.csv")
    outputs = tables.Outputs.next_to(folder / name)
    reading = tables.Reading(
        more.pop("secret", "s"), more.pop("public", "x"), rare="keep"
    )
    ledger = more.pop("ledger", None)
    done = tables.sanitise_file(
        folder / "in.csv",
        outputs,
        tables.Plan(reading, notion),
        ledger=ledger,
        **more,
    )
    return done, outputs


def guessed_by_change_point(released, secrets):
    """The share of secrets guessed by the best cut of the rows into two runs."""
    codes = {value: at for at, value in enumerate(sorted(set(released)))}
    one_hot = np.eye(len(codes))[[codes[value] for value in released]]
    before = np.cumsum(one_hot, axis=0)
    after = before[-1] - before

    def likelihood(counts):
        total = counts.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nansum(
                np.where(counts > 0, counts * np.log(counts / total), 0), axis=1
            )

    cut = int(np.argmax(likelihood(before) + likelihood(after))) + 1
    names = sorted(set(secrets))
    return max(
        np.mean(
            [
                one == secret
                for one, secret in zip(
                    [a] * cut + [b] * (len(secrets) - cut), secrets, strict=True
                )
            ]
        )
        for a, b in itertools.permutations(names)
    )


def test_a_sorted_table_does_not_give_its_secret_by_its_order(tmp_path):
    rng = np.random.default_rng(0)
    counts = rng.multinomial(
        6000, np.array([[0.4, 0.1, 0.13], [0.09, 0.18, 0.1]]).ravel()
    ).reshape(2, 3)
    frame, notion = rows_of(counts), ll.LIP(0.3)
    base = counts.sum(axis=1).max() / counts.sum()
    done, outputs = release_file(tmp_path, frame, notion, rng=1)
    assert done.audit.kept
    in_order = done.design.draw(frame, np.random.default_rng(1)).tolist()
    assert guessed_by_change_point(in_order, frame["s"].to_list()) > base + 0.2
    rank = stats.spearmanr(np.arange(len(in_order)), in_order)
    assert rank.pvalue < 1e-4
    # the best cut of shuffled rows may lie anywhere, so that it guesses well by luck
    released = pl.read_csv(outputs.table)["x"].rank("dense")
    assert stats.spearmanr(np.arange(len(released)), released).pvalue > 1e-4


def test_shuffled_rows_are_all_rows_in_any_order(tmp_path, monkeypatch):
    """Each of the 6 orders of 3 rows in two batches comes about as often."""
    monkeypatch.setattr("lifttables.releases.releasing.SHUFFLE_FILES", 3)
    rng = np.random.default_rng(0)
    seen = dict.fromkeys(itertools.permutations(range(3)), 0)
    for _ in range(120):
        batches = iter([pl.DataFrame({"a": [0, 1]}), pl.DataFrame({"a": [2]})])
        seen[tuple(pl.concat(shuffled(batches, rng, tmp_path))["a"].to_list())] += 1
    assert stats.chisquare(list(seen.values())).pvalue > 1e-6
    big = [pl.DataFrame({"a": range(i * 1000, (i + 1) * 1000)}) for i in range(5)]
    out = pl.concat(shuffled(iter(big), rng, tmp_path))["a"].to_numpy()
    assert sorted(out) == list(range(5000))
    assert abs(np.corrcoef(out, np.arange(5000))[0, 1]) < 0.1
    assert list(shuffled(iter([]), rng, tmp_path)) == []
    assert sorted(permutation(64, rng)) == list(range(64))
    assert list(tmp_path.iterdir()) == []


def test_public_counts_are_not_in_the_card():
    counts = SIX * 43
    words = {"secret": "s", "public": "x", "notion": ll.LIP(0.4), "rare": "keep"}
    done = tables.sanitise(rows_of(counts), **words, rng=0)
    for text in (json.dumps(done.card.as_dict()), done.card.as_text()):
        # not n, which the released file shows
        for number in (*counts.sum(axis=0), *counts.ravel()):
            assert f" {number}," not in text
            assert f" {number} " not in text


@pytest.mark.parametrize("kind", ["pandas", "polars", "dask"])
@pytest.mark.filterwarnings("ignore")  # of the other libraries among themselves
def test_releases_of_frames_are_in_the_same_ledger_as_those_of_files(
    tmp_path, kind, monkeypatch
):
    """A frame's release, then others of its rows, a command's, and new draws by its
    design.
    """
    rows, ledger = rows_of(SIX * 50), ledger_next_to(tmp_path / "in.csv")
    frame = rows if kind == "polars" else rows.to_pandas()
    if kind == "dask":
        import dask.dataframe as dd

        frame = dd.from_pandas(frame, npartitions=3)
    words = {
        "secret": "s",
        "public": "x",
        "notion": ll.LIP(0.4),
        "rare": "keep",
        "ledger": ledger,
    }
    # a draw that fails is no release
    for one in ("polars_rows.PolarsTable", "distributed.OnDask"):
        monkeypatch.setattr(f"lifttables.sources.{one}.release", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        tables.sanitise(frame, **words)
    assert not ledger.exists()
    # another's release in the meantime is seen
    for one in ("polars_rows.PolarsTable", "distributed.OnDask"):
        monkeypatch.setattr(
            f"lifttables.sources.{one}.release", lambda *_: ledger.write_text("{}")
        )
    with pytest.raises(DataError):
        tables.sanitise(frame, **words)
    assert ledger.read_text() == "{}"
    ledger.unlink()
    monkeypatch.undo()

    first = tables.sanitise(frame, **words)
    assert first.card.release == 1
    assert ledger.stat().st_mode & 0o777 == 0o600
    before = ledger.read_text()
    less = words | {"notion": ll.LIP(0.3)}
    with pytest.raises(BrokenNotion):
        tables.sanitise(frame, **less)
    with pytest.raises(BrokenNotion):
        release_file(tmp_path, rows, ll.LIP(0.3), ledger=ledger)
    with pytest.raises(BrokenNotion):
        tables.apply(frame, first.design, ledger=ledger)
    assert ledger.read_text() == before
    assert {path.name for path in tmp_path.iterdir()} == {ledger.name, "in.csv"}
    # counts may follow, and the same release again is no other
    counts = tables.sanitise(frame, **words, counts=True)
    assert counts.card.release == 2
    assert tables.sanitise(frame, **words).card.release == 1
    assert [(one.output, one.of_rows) for one in read_ledger(ledger).entries] == [
        ("a frame", True),
        ("a frame", False),
    ]


def test_several_secrets_are_protected_together_and_each_alone(tmp_path):
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            name: rng.choice(list(values), 3000)
            for name, values in (("a", "pq"), ("b", "uvw"))
        }
    )
    frame = frame.with_columns(
        pl.Series(
            "x",
            [
                f"{a}{rng.integers(2)}" if rng.random() < 0.6 else "none"
                for a in frame["a"]
            ],
        )
    )
    notion = ll.ALIP(0.5, 0.3)
    done, _ = release_file(tmp_path, frame, notion, secret=("a", "b"))
    assert done.design.secret.names == ["a", "b"]
    assert len(done.design.secret.labels) == 6
    for secret in ("a", "b"):
        alone = ll.Joint.from_table(
            frame.to_dict(as_series=False), secret=secret, public="x"
        )
        assert notion.is_satisfied(alone, done.design.channel)
    as_stored(" ".join(done.card.not_covered))


def test_several_public_columns_stay_several(tmp_path):
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(
        {
            "s": rng.choice(list("ab"), 400),
            "age": rng.choice(["old", "mid", "new"], 400, p=[0.5, 0.45, 0.05]),
        }
    )
    frame = frame.with_columns(
        pl.Series("sex", rng.choice(["f", "m"], 400, p=[0.93, 0.07]))
    )
    frame.write_csv(tmp_path / "in.csv")
    outputs = tables.Outputs.next_to(tmp_path / "out.csv")
    reading = tables.Reading("s", ("age", "sex"), rare="pool", min_count=10)
    for merge in (False, True):
        done = tables.sanitise_file(
            tmp_path / "in.csv",
            outputs,
            tables.Plan(reading, ll.LIP(0.5), merge=merge),
            force=True,
        )
        assert done.design.public.pooled
        out = pl.read_csv(outputs.table)
        assert out.columns == ["age", "sex"]
        card = tables.read_card(outputs.card)
        known = {texts: y for y, texts in enumerate(card.texts)}
        assert len(known) == len(card.texts)
        assert all(row in known for row in out.rows())
        assert not set(done.design.public.pooled) & set(card.symbols)


def test_texts_say_which_output_it_is():
    ages = Symbols((Column("age"),), tuple((f"c{i:03}",) for i in range(200)))
    texts = texts_of_outputs(ages, [range(150), range(150, 200), (0,), (0,)])
    assert texts[0][0].endswith("more #1")
    assert texts[2:] == (("c000 #3",), ("c000 #4",))
    assert len(set(texts)) == 4
    assert max(len(text) for (text,) in texts) < 250


def test_files_together_or_not_at_all(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_text("old a")
    together = fresh_files([a, b], force=[a])
    x, y = together.__enter__()
    x.write_text("new a")
    y.write_text("new b")
    b.write_text("another's")
    with raised(DataError):
        together.__exit__(None, None, None)
    assert (a.read_text(), b.read_text()) == ("old a", "another's")
    b.unlink()
    with fresh_files([a, b], force=[a], private=[b]) as (x, y):
        x.write_text("new a")
        y.write_text("new b")
    assert (a.read_text(), b.read_text(), b.stat().st_mode & 0o777) == (
        "new a",
        "new b",
        0o600,
    )
    with (
        raised(DataError),
        fresh_files([a, tmp_path / "." / "a"], force=True),
    ):
        pass
    (tmp_path / "link").symlink_to(a)
    link = fresh_files([tmp_path / "link"], force=True, inputs=[a])
    with (
        raised(DataError),
        link,
    ):
        pass
    (tmp_path / "hard").hardlink_to(a)
    with (
        raised(DataError),
        fresh_files([tmp_path / "hard"], force=True, inputs=[a]),
    ):
        pass
    with (
        raised(DataError),
        fresh_files([Path("/dev/null")], force=True),
    ):
        pass
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b", "hard", "link"]


def _killed_while_writing(paths):
    with fresh_files(paths, force=True, private=paths) as asides:
        for aside in asides:
            aside.write_text("half")
        os.kill(os.getpid(), signal.SIGKILL)


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path):
    paths = [tmp_path / "out.csv", tmp_path / "out.PRIVATE.design.json"]
    users = [".out.csv", ".out.csv.mine.csv", ".other.csv.abcdefgh.csv"]
    for name in users:
        (tmp_path / name).write_text("the user's own")
    process = multiprocessing.get_context("fork").Process(
        target=_killed_while_writing, args=(paths,)
    )
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    hidden = {path.name for path in tmp_path.iterdir()} - {*users}
    assert len(hidden) == 2
    assert all(name.startswith(".out.") for name in hidden)
    with fresh_files(paths) as asides:
        for aside in asides:
            aside.write_text("whole")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {*users, *(path.name for path in paths)}


def test_what_is_taken_back_goes_in_reverse(tmp_path, monkeypatch):
    """A run that is killed meanwhile leaves an entry without a release, not the
    reverse.
    """
    ledger, other, table = paths = [tmp_path / name for name in ("l", "o", "t")]
    together = fresh_files(paths)
    together.__enter__()
    table.write_text("another's")
    unlink, taken_back = Path.unlink, []

    def recorded(path, **words):
        if path in paths:
            taken_back.append(path)
        unlink(path, **words)

    monkeypatch.setattr(Path, "unlink", recorded)
    with pytest.raises(DataError):
        together.__exit__(None, None, None)
    assert taken_back == [other, ledger]
    assert table.read_text() == "another's"


@pytest.mark.parametrize("old", [None, "old"])
def test_no_file_stays_that_was_placed_when_ctrl_c_came(tmp_path, monkeypatch, old):
    paths = [tmp_path / "ledger", tmp_path / "out.csv"]
    if old is not None:
        paths[0].write_text(old)

    def interrupted(aside, path):
        place(aside, path)
        if path == paths[-1]:
            raise KeyboardInterrupt

    monkeypatch.setattr(files, "place", interrupted)
    with pytest.raises(KeyboardInterrupt), fresh_files(paths, force=paths[:1]):
        pass
    left = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert left == ({} if old is None else {"ledger": old})


def test_a_run_whose_hidden_file_is_gone_writes_nothing(tmp_path):
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    with contextlib.ExitStack() as stack:
        asides = stack.enter_context(fresh_files(paths))
        asides[0].write_text("whole")
        asides[1].unlink()  # by another run, which takes it for a leftover
        with pytest.raises(DataError):
            stack.close()
    assert not list(tmp_path.iterdir())
