"""Attacks on whole stored problems, judged by definitions, vertices and HiGHS in place
of the checker's proof.

An accepted problem claims that its channel achieves a value within its notion, that
nothing achieves more than a bound, and that both hold for the notion and the joint
distribution that are printed. :func:`false_claim` recomputes all of it.
"""

import hashlib
import json
import math
from collections import Counter
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, permutations, product

import numpy as np
import pytest
from asked import entropies
from hostile import NOT_FINITE, NOT_NUMBERS, NUMBERS, attacked
from scipy.optimize import linprog

import liftlib as ll
from liftlib import exact
from liftlib.notions import Polyhedral, provides
from liftlib.proofs import to_problem

NOTIONS = (
    ll.LIP(0.5), ll.ALIP(0.3, 0.2), ll.ALIP(np.inf, 0.4), ll.LDP(1.0),
    ll.PerfectPrivacy(), ll.L1Lift(np.inf, 0.3), ll.Chi2Lift(np.inf, 0.3),
    ll.AlphaLift(2, 0.25, 0.25),
)  # fmt: skip
JOINTS = (
    ll.datasets.hundred_people(),
    ll.datasets.uniform_joint(3, 3, np.random.default_rng(4)),
)
ROUNDING = 1e-8  # nats by which the judge's own floating-point numbers may be off
# nats by which a channel that the checker accepts may exceed a budget, rounding
# included
KEPT = 3e-9


@cache
def genuine_problem(joint_at, notion_at, mixture=False):
    """A problem with a genuine proof, and the value of its channel."""
    joint, notion = JOINTS[joint_at], NOTIONS[notion_at]
    made = {"method": "tree"} if provides(notion, Polyhedral) else {}
    channel = ll.mechanisms.optimal(joint, notion, gap=0.02, **made)
    problem = json.loads(to_problem(joint, notion, channel))
    if mixture:
        numbered = notion.proven.relaxed(joint.p_s, 1e-12)[0].numbered_halfspaces(joint)
        rows = numbered[np.arange(len(numbered))]
        kept = {name: problem[name] for name in ("version", "channel", "proof")}
        problem = {
            "format": "mixproof problem",
            "target": joint.p_x.tolist(),
            "halfspaces": rows.tolist(),
            **kept,
        }
    return problem, channel.certificate.value


BASES = [
    *product(range(len(JOINTS)), range(len(NOTIONS)), [False]),
    (0, 0, True),
    (1, 0, True),
    (1, 3, True),
]


# The judge


class Judge:
    """What a problem claims, by definition: the posteriors that are allowed, and the
    best utility.
    """

    def __init__(self, problem):
        self.mixture = problem["format"] == "mixproof problem"
        table = np.array(
            [problem["target"]] if self.mixture else problem["joint"], dtype=float
        )
        table = table / table.max() / (table / table.max()).sum()
        self.p_s, self.p_x = table.sum(axis=1), table.sum(axis=0)
        self.lifts = table / self.p_x / self.p_s[:, None]
        if self.mixture:
            self.rows = np.array(problem["halfspaces"], dtype=float).reshape(
                -1, len(self.p_x)
            )
            return
        self.kind, fields = problem["notion"]["class"], problem["notion"]["fields"]
        given = {
            name: math.inf if value == "inf" else float(value)
            for name, value in fields.items()
        }
        self.alpha = given.get("alpha", math.inf)
        self.eps = [given.get(name, given.get("eps")) for name in ("eps_l", "eps_u")]
        self.rows = self.halfspaces()

    def halfspaces(self):
        """Rows g with g v >= 0 for what is linear; of other notions, none."""
        lifts, low, high = self.lifts, *np.exp([-self.eps[0], min(self.eps[1], 700.0)])
        if self.kind in ("ALIP", "LIP"):
            return np.vstack([lifts - low, high - lifts])
        if self.kind == "LDP":
            return np.array([high * b - a for a in lifts for b in lifts])
        if self.kind == "L1Lift":
            signs = np.array(list(product([-1.0, 1.0], repeat=len(lifts))))
            return (high - 1) - (signs * self.p_s) @ (lifts - 1)
        return np.empty((0, lifts.shape[1]))

    def measure(self, lifts):
        """The measure of (inverse) lifts, shape (points, S), that e^eps bounds."""
        if self.kind == "L1Lift":
            return 1 + np.abs(lifts - 1) @ self.p_s
        if self.kind == "Chi2Lift":
            return 1 + np.sqrt((lifts - 1) ** 2 @ self.p_s)
        if self.kind == "AlphaLift" and self.alpha < math.inf:
            top = lifts.max(axis=1)
            return top * ((lifts / top[:, None]) ** self.alpha @ self.p_s) ** (
                1 / self.alpha
            )
        return lifts.max(axis=1)

    def excess(self, points):
        """By how much each point exceeds the budgets: nats; for a mixture, the
        violation of a halfspace.
        """
        if self.mixture:
            return -(points @ self.rows.T).min(axis=1, initial=0.0)
        with np.errstate(all="ignore"):
            lifts = points @ self.lifts.T
            inverse = 1 / lifts
            if self.kind == "LDP":
                return np.log(lifts.max(axis=1) * inverse.max(axis=1)) - self.eps[0]
            sides = [
                np.log(self.measure(inverse)) - self.eps[0],
                np.log(self.measure(lifts)) - self.eps[1],
            ]
            return np.max(
                [
                    side
                    for side, eps in zip(sides, self.eps, strict=True)
                    if eps < math.inf
                ],
                axis=0,
                initial=0,
            )

    def points(self):
        """Allowed posteriors: P_X, vertices, the last points on rays from P_X, and the
        first and last on edges.
        """
        n = len(self.p_x)
        active = np.vstack(
            [
                np.eye(n),
                self.rows
                / np.abs(self.rows).max(axis=1, initial=1e-300, keepdims=True),
            ]
        )
        chosen = np.array(
            [
                [np.ones(n), *active[list(some)]]
                for some in combinations(range(len(active)), n - 1)
            ]
        )
        chosen = chosen[np.abs(np.linalg.det(chosen)) > 1e-9]
        right = np.broadcast_to(np.eye(n)[:, :1], (len(chosen), n, 1))
        corners = (
            np.linalg.solve(chosen, right)[..., 0] if len(chosen) else np.empty((0, n))
        )
        corners = np.where(np.abs(corners) < 1e-13, 0.0, corners)
        rays = np.random.default_rng(0).normal(size=(50 if len(self.rows) else 1000, n))
        rays -= rays.mean(axis=1, keepdims=True)
        low, high = (
            np.zeros(len(rays)),
            1 / np.maximum((-rays / self.p_x).max(axis=1, initial=1e-300), 1e-300),
        )
        for _ in range(50):
            middle = (low + high) / 2
            inside = self.excess(self.p_x + middle[:, None] * rays) <= 0
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        edges = (
            []
            if len(self.rows)
            else [self.ends(i, j) for i, j in combinations(range(n), 2)]
        )
        found = np.vstack([corners, self.p_x + low[:, None] * rays, *edges])
        found = found[(found >= 0).all(axis=1) & (self.excess(found) <= 1e-12)]
        return np.vstack([found, self.p_x])

    def ends(self, i, j):
        """The first and the last allowed points where all but two entries are 0."""
        shares = np.linspace(0, 1, 20_001)
        points = np.zeros((len(shares), len(self.p_x)))
        points[:, i], points[:, j] = shares, 1 - shares
        return (
            points[self.excess(points) <= 0][[0, -1]]
            if (self.excess(points) <= 0).any()
            else points[:0]
        )

    @property
    def best(self):
        """A utility that is attained, up to rounding: the optimum over these points, by
        HiGHS.
        """
        points = self.points()
        found = linprog(entropies(points), A_eq=points.T, b_eq=self.p_x, method="highs")
        assert found.status == 0, found.message
        return float(entropies(self.p_x) - found.fun)


@lru_cache(10_000)
def judge_of(text):
    """The judge of a claim, given as JSON, and the best utility under it."""
    # of numbers such as 1e-300 come points that are not finite, which are left out
    with np.errstate(all="ignore"):
        judge = Judge(json.loads(text))
        return judge, judge.best


def digest(rows):
    rows = [[Fraction(value) for value in row] for row in rows]
    return hashlib.sha256(
        "\n".join(" ".join(map(str, row)) for row in rows).encode()
    ).hexdigest()


def of_sum_one(rows):
    total = sum(Fraction(value) for row in rows for value in row)
    return [[Fraction(value) / total for value in row] for row in rows]


def false_claim(problem, result):
    """Return what is false in what the checker says of an accepted problem, or None."""
    mixture, facts = problem["format"] == "mixproof problem", result.facts()
    claim = {
        name: problem[name]
        for name in (
            "format",
            *(("target", "halfspaces") if mixture else ("joint", "notion")),
        )
    }
    judge, best = judge_of(json.dumps(claim))
    if result.upper < best - ROUNDING or (
        problem["proof"]["upper"] < min(best, float(entropies(judge.p_x))) - ROUNDING
    ):
        return f"the bound is {float(result.upper)}, but {best} is attained"
    if mixture:
        said = {
            "polytope": digest(problem["halfspaces"]),
            "target": digest(of_sum_one([problem["target"]])),
        }
        if judge.excess(judge.p_x[None])[0] > KEPT:
            return "the target is outside the polytope"
    else:
        fields = problem["notion"]["fields"]
        said = {"joint": digest(of_sum_one(problem["joint"]))}
        # in whatever order the file has them
        parts = [f"{name}={value}" for name, value in fields.items()]
        if facts["notion"] not in {
            f"{judge.kind}({', '.join(order)})" for order in permutations(parts)
        }:
            return f"{facts['notion']} is not the notion"
        rows, columns = np.shape(problem["joint"])
        if not facts["joint"].startswith(f"{rows} secrets x {columns} symbols"):
            return "the size is another one"
    if any(not facts[name].endswith(f"SHA-256 {sha}") for name, sha in said.items()):
        return f"{facts} does not have the digests of the file"
    if not result.value <= result.upper:
        return (
            f"the value {float(result.value)} is above the bound {float(result.upper)}"
        )
    channel = problem.get("channel")
    value = 0.0
    if channel is not None or not mixture:
        joint = judge.p_x[:, None] * np.array(channel, dtype=float)
        p_y = joint.sum(axis=0)
        posteriors = (joint[:, p_y > 0] / p_y[p_y > 0]).T
        value = float(entropies(judge.p_x) - p_y[p_y > 0] @ entropies(posteriors))
        if not (
            judge.excess(posteriors[p_y[p_y > 0] > 1e-6]) <= KEPT + 1e-12 / 1e-6
        ).all():
            return "the channel exceeds the notion"
        if not np.allclose(joint.sum(), 1, atol=1e-8):
            return "the rows of the channel do not sum to 1"
    return (
        None
        if abs(result.value - value) <= ROUNDING
        else f"the value is {value}, not {float(result.value)}"
    )


# The attacks


def places(value, kinds, path=()):
    """Return the paths of what is of some types."""
    items = (
        value.items()
        if type(value) is dict
        else enumerate(value)
        if type(value) is list
        else ()
    )
    found = [(*path, key) for key, inner in items if type(inner) in kinds]
    return found + [
        one for key, inner in items for one in places(inner, kinds, (*path, key))
    ]


def chosen(rng, problem, kinds):
    """Return a container, a key in it, and the value there; in the problem's parts with
    equal chances.
    """
    parts = [name for name in problem if places({name: problem[name]}, kinds)]
    name = parts[rng.integers(len(parts))]
    found = places({name: problem[name]}, kinds)
    *path, last = found[rng.integers(len(found))]
    inner = problem
    for key in path:
        inner = inner[key]
    return inner, last


def number(rng, problem):
    inner, key = chosen(rng, problem, (int, float))
    value = inner[key]
    change = rng.integers(5)
    inner[key] = (
        float(value) * float(1 + rng.normal() * 10.0 ** rng.integers(-10, 2)),
        value + float(rng.normal() * 10.0 ** rng.integers(-10, 2)),
        -value,
        value + int(rng.integers(-2, 3)),
        NUMBERS[rng.integers(len(NUMBERS))],
    )[change]


def a_type(rng, problem):
    inner, key = chosen(rng, problem, (int, float, str, bool, list, dict))
    others = (*NOT_NUMBERS, *NOT_FINITE, True, False, 1.0, 0, "inf", [[]], {"eps": 0.5})
    inner[key] = json.loads(json.dumps(others[rng.integers(len(others))]))


def a_shape(rng, problem):
    inner, key = chosen(rng, problem, (list,))
    values = inner[key]
    at = int(rng.integers(len(values))) if values else 0
    change = rng.integers(5)
    if change == 0 and values:
        del values[at]
    elif change == 1:
        values.insert(at, json.loads(json.dumps(values[at])) if values else 0.0)
    elif change == 2:
        values.reverse()
    elif change == 3 and values and all(type(row) is list for row in values):
        inner[key] = [list(column) for column in zip(*values, strict=False)]
    else:
        inner[key] = [values, values[:1], [values], values * 2][rng.integers(4)]


def a_key(rng, problem):
    inner, key = chosen(rng, {"all": problem}, (int, float, str, bool, list, dict))
    if type(inner) is dict and "all" not in inner:
        value, other = (
            inner.pop(key),
            str(rng.choice([*inner, "x", "eps_u", "halfspaces"]) if inner else "x"),
        )
        if rng.random() < 0.5:
            inner[other], inner[key] = value, inner.get(other, 0)


def a_version(rng, problem):
    holder = (
        problem
        if rng.random() < 0.5 or type(problem.get("proof")) is not dict
        else problem["proof"]
    )
    holder["version"] = [True, 1.0, "1", 2, None, 0, [1], math.nan][rng.integers(8)]


def another_part(rng, problem):
    """A part of another problem: its table, notion, channel, tangents or proof."""
    other = json.loads(json.dumps(genuine_problem(*BASES[rng.integers(len(BASES))])[0]))
    key = str(rng.choice(list(other)))
    problem[key] = other[key]


def a_budget(rng, problem):
    """A smaller or larger budget; the halfspaces of a mixture become
    narrower or wider.
    """
    share = float(np.exp(rng.normal() * 10.0 ** rng.integers(-8, 1)))
    fields = problem.get("notion", {}).get("fields", {})
    for name in fields:
        if type(fields[name]) is float and name != "alpha":
            fields[name] *= share
    for row in problem.get("halfspaces", []):
        row[:] = [value - (1 - share) * 0.1 for value in row]


def a_mechanism(rng, problem):
    """More is published by an output."""
    share = float(10.0 ** rng.integers(-9, 0))
    kernel = problem["channel"]
    x = int(rng.integers(len(kernel)))
    kernel[x] = [
        (1 - share) * value + share * (y == 0) for y, value in enumerate(kernel[x])
    ]


ATTACKS = (
    number,
    number,
    number,
    a_type,
    a_shape,
    a_key,
    a_version,
    another_part,
    a_budget,
    a_mechanism,
)
# nothing is left for it
UNUSABLE = (
    TypeError,
    ValueError,
    IndexError,
    KeyError,
    AttributeError,
    ArithmeticError,
)


def attack(rng, base):
    """Attack a problem once; return the attacks, whether it is accepted, and what is
    then false.
    """
    problem, value = genuine_problem(*base)
    problem, names = json.loads(json.dumps(problem)), []
    # half of them claim less than is attained, the others far more than is proven
    if rng.random() < 0.6:
        problem["proof"], names = attacked(rng, problem["proof"], value)
    for at in rng.integers(len(ATTACKS), size=rng.integers(0 if names else 1, 3)):
        try:
            ATTACKS[at](rng, problem)
        except UNUSABLE:
            continue
        names = [*names, ATTACKS[at].__name__]
    text = json.dumps(problem)
    if twice := rng.random() < 0.03:
        keys = [
            key
            for key in ("joint", "version", "eps", "upper", "proof", "format")
            if f'"{key}": ' in text
        ]
        key = keys[rng.integers(len(keys))]
        text = text.replace(
            f'"{key}": ', f'"{key}": {rng.choice(["1", "[[1]]", "{}"])}, "{key}": ', 1
        )
    try:
        read = exact.parsed(text)
        result = exact.check(read)
    except exact.NotProven:
        return names, False, None
    if twice or any(
        type(one["version"]) is not int or one["version"] != 1
        for one in (read, read["proof"])
    ):
        return names, True, "a key appears twice, or the version is not 1"
    return names, True, false_claim(read, result)


def attacks(seed, count):
    """Attack the stored problems in turn; yield the attacks, whether each is accepted,
    and what is false.
    """
    rng = np.random.default_rng(seed)
    for at in range(count):
        yield attack(rng, BASES[at % len(BASES)])


def summary(seed, count):
    """Return the attacks used, the number accepted and the false claims."""
    used, accepted, false = Counter(), 0, []
    for names, taken, wrong in attacks(seed, count):
        used.update(names)
        accepted += taken
        false += [(names, wrong)] if wrong else []
    return used, accepted, false


@pytest.mark.parametrize("base", BASES, ids=str)
def test_a_genuine_problem_claims_what_is_true(base):
    """The judge's own optimum lies between the value and the bound, closely if it may
    list vertices.
    """
    problem, value = genuine_problem(*base)
    result = exact.check(problem)
    assert false_claim(problem, result) is None
    judge = Judge(problem)
    assert (
        value - (1e-8 if len(judge.rows) else 2e-3)
        <= judge.best
        <= result.upper + ROUNDING
    )


@pytest.mark.parametrize("base", [base for base in BASES if not base[2]], ids=str)
def test_the_judge_allows_what_the_notion_does(base):
    """Of outputs with posteriors anywhere, near corners and near P_X."""
    joint, notion = JOINTS[base[0]], NOTIONS[base[1]]
    judge = Judge(genuine_problem(*base)[0])
    rng, seen = np.random.default_rng(0), set()
    for v in [
        joint.p_x,
        *rng.dirichlet(np.ones(3), size=60),
        *rng.dirichlet(np.full(3, 0.2), size=60),
        *(0.05 * rng.dirichlet(np.ones(3), 60) + 0.95 * joint.p_x),
    ]:
        p_y = 0.5 * min(1.0, (joint.p_x / v).min())
        rest = (joint.p_x - p_y * v) / (1 - p_y)
        channel = ll.Channel(
            np.column_stack([p_y * v, (1 - p_y) * rest]) / joint.p_x[:, None]
        )
        excess = max(0, *judge.excess(np.array([v, rest])))
        assert max(0, notion.violation(joint, channel)) == pytest.approx(
            excess, abs=1e-9
        )
        seen.add(bool(excess <= 1e-9))
    assert seen == {True, False}


def weakened(monkeypatch, name):
    """Take one step out of the checker."""
    if name == "caps":
        monkeypatch.setattr(
            exact,
            "require",
            lambda condition, step: condition or "capped below" in step or fail(step),
        )
    elif name == "boxes":
        monkeypatch.setattr(
            exact.Proof,
            "boxes",
            lambda _, needed: [exact.Box(0, [], [], needed, False)],
        )
    elif name == "channel":
        monkeypatch.setattr(exact.Notion, "check_output", lambda *_: None)
    elif name == "points":
        monkeypatch.setattr(exact.Polytope, "check_output", lambda *_: None)
    elif name == "target":
        monkeypatch.setattr(exact.Polytope, "violated", lambda *_: None)
    elif name == "entropy":
        monkeypatch.setattr(
            exact, "entropy", lambda t: -t * exact.log(t)[1] * 21 // 20 if t else 0
        )
    elif name == "key":
        monkeypatch.setattr(exact, "unique", dict)
    elif name == "version":
        monkeypatch.setattr(
            exact,
            "is_of_format",
            lambda value, name: type(value) is dict and value.get("format") == name,
        )


def fail(step):
    raise exact.NotProven(step)


STEPS = {
    "caps": "is attained", "boxes": "is attained", "channel": "exceeds the notion",
    "points": "exceeds the notion", "target": "the target is outside",
    "entropy": "is attained", "key": "a key appears twice", "version": "is not 1",
}  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
def test_an_attack_succeeds_on_a_checker_without_one_of_its_steps(step, monkeypatch):
    weakened(monkeypatch, step)
    assert any(wrong and STEPS[step] in wrong for _, _, wrong in attacks(2, 6000))


def test_two_thousand_attacks():
    _, accepted, false = summary(0, 2000)
    assert false == []
    assert 100 < accepted < 1000


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 11))
def test_two_hundred_thousand_attacks(seed):
    """Twenty thousand for each of ten seeds; in November 2026 a million with other
    seeds did not succeed.
    """
    used, accepted, false = summary(seed, 20_000)
    assert false == []
    assert set(used) >= {one.__name__ for one in ATTACKS}
    assert 1000 < accepted < 10_000
