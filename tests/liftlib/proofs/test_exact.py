"""The exact checker against decimals, a hand-made proof and hostile proofs."""

import hashlib
import json
import math
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from asked import decimal, raised_if
from hostile import ATTACKS, attacked
from messages import as_stored, raised

import liftlib as ll
from liftlib import exact
from liftlib.errors import InvalidProof
from liftlib.notions import CurvedLift, Polyhedral, provides
from liftlib.proofs import to_problem
from liftlib.resources import resource
from mixproof.numerics import KEEP_TOL
from mixproof.proof import Proof

JOINT = ll.datasets.uniform_joint(3, 5, np.random.default_rng(0))
NOTIONS = [
    ll.LIP(0.5),
    ll.ALIP(0.3, 0.2),
    ll.ALIP(np.inf, 0.2),
    ll.LIP(40.0),
    ll.LDP(1.0),
    ll.LDP(40.0),
    ll.PerfectPrivacy(),
    ll.L1Lift(np.inf, 0.2),
    ll.L1Lift(np.inf, 0.9),
    ll.Chi2Lift(np.inf, 0.2),
    ll.Chi2Lift(0, 0.3),
    ll.AlphaLift(2, 0.25, 0.25),
    ll.AlphaLift(3.5, np.inf, 0.2),
    ll.AlphaLift(np.inf, 0.3, 0.4),
]
each_notion = pytest.mark.parametrize("notion", NOTIONS, ids=str)


def test_the_slack_covers_the_tolerance_and_that_what_is_satisfied():
    assert exact.TOLERANCE > KEEP_TOL
    with localcontext(prec=60):
        tolerance = Decimal(exact.TOLERANCE.numerator) / Decimal(
            exact.TOLERANCE.denominator
        )
        assert Decimal(exact.SLACK) / Decimal(exact.ONE) >= tolerance.exp() - 1


@cache
def genuine(notion):
    """A channel whose certificate holds a proof, and the exact checker's problem."""
    made = {"method": "tree"} if provides(notion, Polyhedral) else {}
    channel = ll.mechanisms.optimal(JOINT, notion, gap=1e-3, **made)
    return channel, json.loads(to_problem(JOINT, notion, channel))


def enclosed(low, value, high, scale=exact.ONE):
    """Whether a decimal number lies in an enclosure that is at most 16 units wide."""
    return low <= value * scale <= high <= low + 16


class TestFunctions:
    def test_logarithms(self):
        rng = np.random.default_rng(0)
        with localcontext() as context:
            context.prec = 60
            for x in [
                *rng.exponential(size=200),
                *(1 + rng.normal(size=50) * 1e-9),
                1e-300,
                0.5,
                1.0,
                2.0,
                1e300,
                5e-324,
            ]:
                a, b = float(x).as_integer_ratio()
                assert enclosed(
                    *insert(exact.log(a, b), (Decimal(a) / Decimal(b)).ln())
                )

    def test_exponentials(self):
        with localcontext() as context:
            context.prec = 60
            for x in [
                *-np.random.default_rng(0).exponential(5.0, size=200),
                0.0,
                -1e-30,
                -1.0,
                -99.9,
                -100.5,
                -1e300,
            ]:
                exactly = Decimal(x).exp() if x > -1e6 else Decimal(0)
                assert enclosed(*insert(exact.exp(Fraction(float(x))), exactly))

    def test_entropies_are_rounded_down(self):
        with localcontext() as context:
            context.prec = 80
            for t in [1, 2, 12345, exact.ONE // 3, exact.ONE // 2, exact.ONE - 1]:
                share = Decimal(t) / exact.ONE
                exactly = -share * share.ln() * exact.ONE**2
                assert 0 <= exactly - exact.entropy(t) <= 16 * t
        assert exact.entropy(0) == 0

    @pytest.mark.parametrize("order", [0.5, 0.75, 1.5, 2.0, 3.5, 7.0, 1e6])
    def test_norms(self, order):
        rng = np.random.default_rng(1)
        for _ in range(20):
            p, values = (
                rng.dirichlet(np.ones(4)),
                rng.exponential(size=4) * rng.integers(0, 2, size=4),
            )
            low, high = exact.norm(
                *([Fraction(float(v)) for v in row] for row in (p, values)),
                Fraction(order),
            )
            with localcontext() as context:
                context.prec = 60
                sizes = (
                    Decimal(float(w)) * Decimal(float(v)) ** Decimal(order)
                    for w, v in zip(p, values, strict=True)
                    if v
                )
                total = sum(sizes, Decimal(0))
                size = total ** (1 / Decimal(order)) if total else Decimal(0)
                ends = [
                    Decimal(end.numerator) / Decimal(end.denominator)
                    for end in (low, high)
                ]
                room = size * Decimal("1e-40")
                assert ends[0] - room <= size <= ends[1] + room
                assert ends[1] - ends[0] <= Decimal("1e-25")


def insert(enclosure, value):
    return enclosure[0], value, enclosure[1]


def by_hand(upper, weight=0.0):
    """Two symbols, P_X = (1/2, 1/2) and no halfspaces."""
    proof = {
        "format": "liftlib proof",
        "version": 1,
        "upper": upper,
        "dual": [0.0, 0.0],
        "order": [0, 1],
        "sides": [],
        "caps": [1.0, 1.0],
        "cap_weights": [],
        "parent": [-1],
        "child": [0],
        "kind": [0],
        "symbol": [0],
        "level": [0.0],
        "weights": [weight],
    }
    shapes = {"sides": [0, 2], "cap_weights": [2, 0], "weights": [1, 1]}
    proof["shapes"] = {
        name: shapes.get(name, [len(value)])
        for name, value in proof.items()
        if isinstance(value, list)
    }
    return {
        "format": "mixproof problem",
        "version": 1,
        "target": [0.5, 0.5],
        "halfspaces": [],
        "proof": proof,
    }


class TestByHand:
    def test_one_box(self):
        found = exact.check(by_hand(0.7))
        with localcontext() as context:
            context.prec = 50
            assert (
                0
                <= Decimal(found.upper.numerator) / Decimal(found.upper.denominator)
                - Decimal(2).ln()
                < Decimal("1e-30")
            )
        assert found.boxes == 1

    def test_a_claim_below_the_bound_names_the_box(self):
        with raised(exact.NotProven):
            exact.check(by_hand(0.6, weight=-1.0))
        with raised(exact.NotProven):
            exact.check(by_hand(0.6))

    def test_a_halfspace(self):
        problem = by_hand(0.5)
        problem["halfspaces"] = [[1.0, -1.0], [-1.0, 1.0]]
        proof = problem["proof"]
        proof.update(
            sides=[[0, 1]][0],
            cap_weights=[0.5, -0.5],
            caps=[0.5 + 1e-9, 0.5 + 1e-9],
            weights=[0.0, 0.0],
        )
        proof["shapes"].update(sides=[1, 2], cap_weights=[2, 1], weights=[1, 2])
        with raised(exact.NotProven):
            exact.check(problem)
        proof["cap_weights"] = [-0.5, 0.5]
        assert exact.check({**problem, "proof": {**proof, "upper": 1.0}}).upper < 1.0
        proof["caps"] = [0.5, 0.5]
        with raised(exact.NotProven):
            exact.check(problem)


@each_notion
def test_a_genuine_proof_passes_in_memory_and_as_a_file(notion):
    channel, problem = genuine(notion)
    found, other = exact.check(problem), ll.check_proof(JOINT, notion, channel)
    assert 0 <= Fraction(other.upper) - found.upper < Fraction(1, 10**15)
    assert float(found.value) == other.value
    assert found.value <= found.upper <= channel.certificate.upper


@each_notion
def test_halfspaces_are_those_of_the_notion(notion):
    channel, problem = genuine(notion)
    rows = exact.Notion(problem, exact.Joint(problem["joint"]))
    points = channel.certificate.proof.points
    if len(points):
        expected = notion.tangents(JOINT, points)
    else:
        numbered = notion.proven.relaxed(JOINT.p_s, 1e-12)[0].numbered_halfspaces(JOINT)
        expected = numbered[np.arange(len(numbered))]
    assert rows.count == len(expected)
    found = np.array(
        [
            [float(Fraction(g, exact.ONE)) for g in rows.row(at)]
            for at in range(rows.count)
        ]
    )
    np.testing.assert_allclose(found.reshape(expected.shape), expected, atol=1e-12)


def attempt(rng, notion):
    """Attack a file and a channel's proof once; return the attacks and whether each was
    accepted.

    V is the I(X; Y) of a channel that satisfies the notion, so that no true bound is
    below it. An acceptance is false if the bound that is then stated is below V; a
    mutant that still proves V or more is no forgery. Nothing may fail but by a refusal
    with a reason.
    """
    channel, problem = genuine(notion)
    value, other = channel.certificate.value, NOTIONS[rng.integers(len(NOTIONS))]
    # a proof of other budgets, now and then
    source = genuine(other)[1] if rng.random() < 0.15 else problem
    hostile, names = attacked(rng, source["proof"], value)
    tangents = json.loads(
        json.dumps(source["tangents"] if provides(notion, CurvedLift) else [])
    )
    if tangents and rng.random() < 0.3:
        tangent = tangents[rng.integers(len(tangents))]
        tangent[rng.integers(2)] = [
            float(rng.normal() * 10.0 ** rng.integers(-3, 300)) for _ in range(3)
        ]
    accepted = [False, False]
    try:
        found = exact.check({**problem, "tangents": tangents, "proof": hostile})
        accepted[0] = True
        assert found.upper >= value - 1e-12, (names, found)
        assert hostile["upper"] >= value - 1e-12, names
    except exact.NotProven:
        pass
    try:
        proof = Proof.from_json(json.dumps(hostile))
        claimed = channel.with_certificate(
            replace(channel.certificate, upper=proof.upper, proof=proof)
        )
        checked = ll.check_proof(JOINT, notion, claimed)
    except InvalidProof:
        return names, accepted
    accepted[1] = True
    assert min(checked.upper, proof.upper) >= value - 1e-12, (names, checked)
    return names, accepted


def attacked_often(seed, notion, attempts):
    rng, used, refused = np.random.default_rng(seed), Counter(), 0
    for _ in range(attempts):
        names, accepted = attempt(rng, notion)
        used.update(names)
        refused += not any(accepted)
    return used, refused


@each_notion
def test_hostile_proofs(notion):
    """None of 30 for each notion."""
    attacked_often(0, notion, 30)


@pytest.mark.slow
@each_notion
def test_twenty_thousand_hostile_proofs(notion):
    """1,430 for each of the fourteen notions."""
    used, refused = attacked_often(1, notion, 1430)
    assert 1430 * len(NOTIONS) >= 20_000
    assert set(used) == {one.__name__ for one in ATTACKS}
    assert refused > 1430 / 2


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "null",
        "NaN",
        "{}",
        '{"version": 1}',
        '{"version": 1, "format": "mixproof problem"}',
        '{"version": 1, "format": "mixproof problem", "target": [0.5, 0.5]}',
    ],
)
def test_a_text_that_is_no_problem_is_refused(text):
    with pytest.raises(exact.NotProven):
        exact.check(json.loads(text))


@pytest.mark.parametrize(
    "change",
    [
        {"channel": np.eye(5).tolist()},
        {"channel": np.eye(4).tolist()},
        {"channel": (0.9 * np.eye(5)).tolist()},
        {"joint": [[1.0, 0.0], [0.5, 0.0]]},
        {"joint": [[1.0, -0.5], [0.5, 0.3]]},
        {"notion": {"class": "SRLIP", "fields": {}}},
        {"notion": {"class": "LIP", "fields": {"eps": -1.0}}},
        {"notion": {"class": "LIP", "fields": {"eps": "nan"}}},
        {"proof": None},
    ],
    ids=str,
)
def test_the_first_step_that_fails_is_named(change):
    with raised(exact.NotProven, of=change):
        exact.check({**genuine(NOTIONS[0])[1], **change})


def test_a_notion_that_the_file_does_not_know_is_given_by_its_halfspaces():
    joint, notion = (
        ll.datasets.uniform_joint(3, 6, np.random.default_rng(2)),
        ll.SRLIP(0.8, (2, 3)),
    )
    channel = ll.mechanisms.optimal(joint, notion, gap=1e-3, method="tree")
    found = exact.check(json.loads(to_problem(joint, notion, channel)))
    assert set(found.about) == {"polytope", "target"}
    checked = ll.check_proof(joint, notion, channel)
    assert 0 <= Fraction(checked.upper) - found.upper < Fraction(1, 10**15)
    best = ll.mechanisms.optimal(joint, notion, method="qhull").certificate.value
    assert checked.value <= best + 1e-9
    assert best <= checked.upper
    with pytest.raises(InvalidProof):  # the identity says more than the notion allows
        ll.check_proof(
            joint, notion, ll.Channel.identity(6).with_certificate(channel.certificate)
        )


def test_a_channel_without_a_proof():
    with pytest.raises(InvalidProof):
        to_problem(JOINT, ll.LIP(1.0), ll.Channel.identity(5))


def printed_by_script(path, text):
    """Return the exit code and the lines that the script prints on a text, without any
    package.
    """
    path.write_text(text, encoding="utf-8")
    words = [sys.executable, "-I", "-S", Path(exact.__file__), path]
    found = subprocess.run(words, capture_output=True, text=True)
    assert not found.stderr
    return found.returncode, found.stdout.splitlines()


@pytest.mark.parametrize(
    "notion", [ll.LIP(0.5), ll.ALIP(np.inf, 0.2), ll.AlphaLift(2, 0.25, 0.25)], ids=str
)
def test_the_script_says_what_it_proves(notion, tmp_path):
    channel, problem = genuine(notion)
    code, (verdict, *lines, note) = printed_by_script(
        tmp_path / "problem.json", json.dumps(problem)
    )
    assert code == 0
    as_stored(f"{verdict}\n{note}")
    said = dict(re.split(": +", line, maxsplit=1) for line in lines)
    assert list(said) == ["notion", "joint", "value", "bound", "gap"]
    assert said["notion"] == str(notion)
    rows = [[Fraction(entry) for entry in row] for row in problem["joint"]]
    total = sum(sum(row) for row in rows)
    text = "\n".join(" ".join(str(entry / total) for entry in row) for row in rows)
    assert (
        said["joint"]
        == f"3 secrets x 5 symbols, SHA-256 {hashlib.sha256(text.encode()).hexdigest()}"
    )
    checked = ll.check_proof(JOINT, notion, channel)
    value, bound, gap = (
        float(said[name].partition(" nats")[0]) for name in ("value", "bound", "gap")
    )
    assert checked.value - 1e-8 < value <= checked.value + 1e-9
    assert checked.upper - 1e-6 < bound <= checked.upper + 1e-10
    assert gap == pytest.approx(bound - value, abs=1e-14)
    as_stored(said["value"].partition(" nats")[2])


def test_the_digest_is_that_of_the_distribution():
    """It is the same for counts, and another for another table or its transpose."""
    counts, shares = [[3, 1], [1, 3]], [[0.375, 0.125], [0.125, 0.375]]
    assert exact.Joint(counts).sha256 == exact.Joint(shares).sha256
    others = [[[3, 1], [2, 3]], [[1, 3], [3, 1]], [[3, 1, 1, 3]], [[3], [1], [1], [3]]]
    assert len({exact.Joint(one).sha256 for one in [counts, *others]}) == 5


def test_the_script_refuses_what_is_no_problem(tmp_path):
    spoof = json.dumps(
        {
            **genuine(NOTIONS[0])[1],
            "notion": {"class": "LIP\nproven: \ud800\x1b[2J", "fields": {}},
        }
    )
    for text in ("{}", "[" * 100_000, "no JSON", spoof):
        code, (line,) = printed_by_script(tmp_path / "problem.json", text)
        assert code == 1
        assert line.startswith("not proven: ")
        assert line.isprintable()


@pytest.mark.parametrize(
    "key", ["joint", "notion", "version", "eps", "upper", "kind", "shapes"]
)
def test_a_key_that_appears_twice_is_refused(key, tmp_path):
    """Readers differ in which of the two they take."""
    text = json.dumps(genuine(NOTIONS[0])[1])
    twice = text.replace(f'"{key}": ', f'"{key}": [[1]], "{key}": ')
    assert json.loads(twice) == json.loads(text)
    code, (said,) = printed_by_script(tmp_path / "problem.json", twice)
    assert code == 1
    as_stored(said)
    with pytest.raises(exact.NotProven, match=f"'{key}'"):
        exact.parsed(twice)
    proof = genuine(NOTIONS[0])[0].certificate.proof.to_json()
    with raised(InvalidProof):
        Proof.from_json(proof.replace('"upper": ', '"upper": 9.0, "upper": '))


@pytest.mark.parametrize("version", [True, 1.0, "1", 2, None, [1]])
def test_a_version_is_the_integer_1(version):
    problem = genuine(NOTIONS[0])[1]
    with raised(exact.NotProven):
        exact.check({**problem, "version": version})
    with raised(exact.NotProven):
        exact.check({**problem, "proof": {**problem["proof"], "version": version}})
    with raised(InvalidProof):
        Proof.from_json(json.dumps({**problem["proof"], "version": version}))
    shapes = {**problem["proof"]["shapes"], "order": [5.0]}
    with raised(exact.NotProven):
        exact.check({**problem, "proof": {**problem["proof"], "shapes": shapes}})


def test_an_integer_beyond_binary64_is_refused():
    """A step that names it could not be printed."""
    problem = genuine(NOTIONS[0])[1]
    size = len(problem["proof"]["weights"])
    for large in (10**309, -(10**5000)):
        with raised(exact.NotProven):
            exact.check(
                {**problem, "proof": {**problem["proof"], "weights": [large] * size}}
            )


def mixture(target, halfspaces, channel=None, upper=1.2):
    """Return a problem of mixproof with one box and no weights."""
    problem, n = by_hand(upper), len(target)
    problem["proof"].update(dual=[0.0] * n, order=list(range(n)), caps=[1.0] * n)
    problem["proof"]["shapes"].update(dual=[n], order=[n], caps=[n], cap_weights=[n, 0])
    return {
        **problem,
        "target": target,
        "halfspaces": halfspaces,
        **({"channel": channel} if channel else {}),
    }


THIRDS = [[2.0, -1.0], [-1.0, 2.0]]
"""Both entries are at least 1/3."""


class TestMixtures:
    """Where only a polytope and a target are given."""

    def test_a_target_outside_the_polytope_is_refused(self):
        """No mixture of its points has that mean, so that any bound would be proven."""
        outside = mixture([0.4, 0.3, 0.3], [[1.0, -0.7, -0.7]])
        proof = outside["proof"]
        proof.update(
            sides=[0, -1], cap_weights=[0.0] * 3, weights=[1e3, 20.0], upper=-18.0
        )
        proof["shapes"].update(sides=[1, 2], cap_weights=[3, 1], weights=[1, 2])
        with raised(exact.NotProven):
            exact.check(outside)
        for target in ([0.33, 0.67], [0.0, 1.0]):
            with raised(exact.NotProven):
                exact.check(mixture(target, THIRDS))
        assert exact.check(mixture([1 / 3, 2 / 3], THIRDS)).value == 0

    def test_its_value_is_that_of_a_mixture_of_points_of_the_polytope(self):
        third = [[2 / 3, 1 / 3], [1 / 3, 2 / 3]]
        found = exact.check(mixture([0.5, 0.5], THIRDS, third))
        assert float(found.value) == pytest.approx(
            5 / 3 * math.log(2) - math.log(3), abs=1e-12
        )
        for more in ([[1.0, 0.0], [0.0, 1.0]], [[0.67, 0.33], [0.33, 0.67]]):
            with raised(exact.NotProven):
                exact.check(mixture([0.5, 0.5], THIRDS, more))
        with raised(exact.NotProven):
            exact.check(mixture([0.5, 0.5], THIRDS, [*third, [1.0, 0.0]]))
        with raised(exact.NotProven):
            exact.check(mixture([0.5, 0.5], THIRDS, [[0.5, 0.4], [0.5, 0.5]]))

    @pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
    def test_a_halfspace_of_any_size_has_the_slack_of_the_claim(self, size):
        halfspaces = (size * np.array(THIRDS)).tolist()
        slack = float(exact.POLYTOPE_SLACK) * max(1.0, 2 * size)
        for share, refused in ((0.99, False), (1.01, True)):
            rare = (1 - share * slack / size) / 3
            with raised_if(refused, exact.NotProven):
                exact.check(mixture([rare, 1 - rare], halfspaces))

    @pytest.mark.parametrize("channel", [None, [[0.5, 0.5], [0.5, 0.5]]])
    def test_the_script_says_that_no_notion_is_named(self, channel, tmp_path):
        problem = mixture([0.5, 0.5], THIRDS, channel)
        code, (verdict, *lines, note) = printed_by_script(
            tmp_path / "problem.json", json.dumps({**problem, "joint": [[1]]})
        )
        assert code == 0
        as_stored(f"{verdict}\n{note}", channel)
        said = dict(re.split(": +", line, maxsplit=1) for line in lines)
        assert list(said) == ["polytope", "target", "value", "bound", "gap"]
        digest = hashlib.sha256(b"2 -1\n-1 2").hexdigest()
        assert said["polytope"] == f"2 halfspaces, SHA-256 {digest}"
        assert (
            said["target"]
            == f"2 symbols, SHA-256 {hashlib.sha256(b'1/2 1/2').hexdigest()}"
        )
        as_stored(said["value"].partition(" nats")[2], channel)


def test_the_proof_that_the_book_stores():
    """It proves its bound, and less than that with one number changed."""
    problem = json.loads(resource("data/proof-people.json").read_text(encoding="utf-8"))
    assert (
        0
        <= Fraction(problem["proof"]["upper"]) - exact.check(problem).upper
        < Fraction(1, 10**6)
    )
    problem["proof"]["dual"][0] += 0.01
    with raised(exact.NotProven):
        exact.check(problem)


def test_a_root_is_rounded_up():
    """A smaller one would make a halfspace of the chi2-lift too strong, and let an
    output exceed its budget.
    """
    rng = np.random.default_rng(0)
    squares = [
        Fraction(0),
        Fraction(1, exact.ONE**3),
        Fraction(2),
        Fraction(1, 4),
        Fraction(10**12),
    ]
    squares += [Fraction(value) for value in rng.random(50)]
    for square in squares:
        found = exact.root(square)
        assert found**2 > square
        assert (found - Fraction(3, exact.ONE)) ** 2 < square or found <= Fraction(
            3, exact.ONE
        )


# What is rounded, and to which side


def test_an_enclosure_covers_the_errors_of_fine_arithmetic(monkeypatch):
    """Results are so coarse that they would hide these errors."""
    monkeypatch.setattr(exact, "BITS", exact.FINE)
    scale = 1 << exact.FINE
    rng = np.random.default_rng(3)
    with localcontext(prec=70):
        for x in [*rng.exponential(size=300), *(1 + 1e-9 * rng.normal(size=50)), 1e300]:
            a, b = float(x).as_integer_ratio()
            low, high = exact.log(a, b)
            assert low <= (Decimal(a) / Decimal(b)).ln() * scale <= high
        for x in [*-rng.exponential(size=300), *-rng.exponential(30.0, size=50)]:
            low, high = exact.exp(Fraction(float(x)))
            assert low <= Decimal(float(x)).exp() * scale <= high


@pytest.mark.parametrize(
    "fields",
    [
        {"class": "ALIP", "fields": {"eps_l": 0.3, "eps_u": 0.7}},
        {"class": "LDP", "fields": {"eps": 0.7}},
        {"class": "L1Lift", "fields": {"eps_l": "inf", "eps_u": 0.3}},
    ],
    ids=str,
)
def test_entries_of_halfspaces_are_rounded_up(fields):
    """A smaller entry would rule out posteriors that the notion allows."""
    joint = exact.Joint([[0, 41, 3, 7], [1, 2, 37, 5], [11, 3, 2, 6]])
    problem = {"notion": fields, "relaxed": False, "tangents": []}
    notion = exact.Notion(problem, joint)
    lifts = np.array([joint.lift(s) for s in range(3)])
    eps = fields["fields"]
    with localcontext(prec=60):
        shrink = Fraction((-Decimal(eps.get("eps", eps.get("eps_u")))).exp())
        if fields["class"] == "ALIP":
            low = Fraction((-Decimal(eps["eps_l"])).exp())
            rows = [*(lifts - low), *(1 - shrink * lifts)]
        elif fields["class"] == "LDP":
            rows = [lifts[b] - shrink * lifts[a] for a, b in permutations(range(3), 2)]
        else:
            given = lifts * np.array(joint.p_s)[:, None] - np.array(joint.p_s)[:, None]
            sets = [[number >> s & 1 for s in (2, 1, 0)] for number in range(1, 7)]
            rows = [1 - shrink * (1 + 2 * np.array(one) @ given) for one in sets]
    assert notion.count == len(rows)
    for at, row in enumerate(rows):
        for entry, exactly in zip(notion.row(at), row, strict=True):
            assert 0 <= entry - exactly * exact.ONE < 8


def test_a_value_is_rounded_down():
    """By less than 10^-30 nats, for rows that sum to 1 exactly."""
    joint = exact.Joint([[3, 1, 4], [1, 5, 9]])
    kernel = [[0.75, 0.25], [0.125, 0.875], [0.5, 0.5]]
    fields = {"class": "LIP", "fields": {"eps": 9.0}}
    problem = {"notion": fields, "relaxed": False, "tangents": []}
    value = exact.check_channel(exact.Notion(problem, joint), joint, kernel)
    with localcontext(prec=60):
        masses = [
            [p * Fraction(entry) for entry in row]
            for p, row in zip(joint.p_x, kernel, strict=True)
        ]
        p_y = [sum(column) for column in zip(*masses, strict=True)]
        exactly = sum(
            decimal(mass) * (decimal(mass / p_x) / decimal(p)).ln()
            for row, p_x in zip(masses, joint.p_x, strict=True)
            for mass, p in zip(row, p_y, strict=True)
        )
        assert 0 <= exactly - decimal(value) < Decimal("1e-30")
