"""Check an optimality proof in exact arithmetic: ``python exact.py problem.json``.

It needs only Python's standard library.

**Claim.** S is a secret, X the data, P_SX known. A mechanism releases Y given X. An
output has the posterior v = P(X=.|Y=y) and the lifts l(s) = P(s|y) / P(s), where P(s|y)
= sum_x P(s|x) v_x. The checker proves I(X; Y) <= U for every mechanism that satisfies
the notion, including those that exceed its budgets by at most ``TOLERANCE`` nats.

**Halfspaces.** Every posterior v of such a mechanism satisfies g v >= -``SLACK``, where
SLACK >= e^TOLERANCE - 1, for three kinds of g. "Upper": g = 1 - e^-eps_u f, if f v is
at most the measure that e^eps_u bounds. "Lower": g = f - e^-eps_l, if f v is at least 1
over the measure that e^eps_l bounds. LDP: g = l(b) - e^-eps l(a) for a != b (the mean
of l is 1, so that e^-eps l(a) <= e^TOLERANCE min l <= e^TOLERANCE).

- ALIP, LIP: f = l(s), "lower" for each s, then "upper" for each s.
- L1Lift: f = 1 + 2 (P(T|y) - P(T)) for each set T, because sum_s P(s) |l(s) - 1| = 2
  max_T (P(T|y) - P(T)).
- Chi2Lift: f = 1 + sum_s P(s) u_s (l(s) - 1) / N with N >= ||u||_2, for any u
  (Cauchy-Schwarz).
- AlphaLift: f = sum_s P(s) u_s l(s) / N for any u >= 0; "upper" with N >= ||u||_b, b =
  alpha / (alpha - 1) (Hoelder), "lower" with N <= ||u||_b, b = alpha / (alpha + 1)
  (reverse Hoelder), where ||u||_b = (sum_s P(s) u_s^b)^(1/b).

The problem gives the vectors u. AlphaLift at infinity is ALIP; ALIP, L1Lift, Chi2Lift
and AlphaLift with a budget of 0 are checked as ALIP(0, 0), perfect privacy.

**Bound.** H is the entropy in nats. If H(v) - dual v >= z for all these v, the average
over the outputs gives H(X|Y) >= dual P_X + z, so I(X; Y) <= H(X) - dual P_X - z. On a
box least <= v <= most, for weights w >= 0 and any e,

    H(v) - dual v >= e - SLACK sum(w) + sum_x min over t in {least_x, most_x} of (-t log
    t - (dual_x + (w G)_x + e) t),

because w (G v + SLACK) >= 0, v sums to 1 and each term is concave in v_x. The proof is
a tree of boxes. A box of kind 0 is bounded as a whole. Kind 1 is divided by which
symbol x, of those with least_x = 0 and most_x > level, is the first in ``order`` to
exceed the level (child x, or -1 if none does); kind 2 at v_x = level (child 0 below,
child 1 above). A part without a box is bounded by its parent's weights. The root is 0
<= v <= caps; v_x <= max_z (e_x + w G)_z + SLACK sum(w) proves the cap of x.

**Arithmetic.** Integers count multiples of 2^-BITS. The proof's numbers may be rounded,
because any numbers are valid; everything derived from the joint distribution and the
budgets is rounded in the direction that weakens the bound (as v >= 0, a larger g is
valid too). No verdict depends on a floating-point operation, and no code is shared with
the solver.

**Verdict.** It names the notion and the joint distribution, since a proof for others
proves nothing here. Compare the digest with that of your own table,
``Joint(table).sha256``: the SHA-256 of the probabilities as fractions in lowest terms,
with a blank between those of a secret and a newline between secrets. ``value`` is a
lower bound on I(X; Y) of the channel, which satisfies the notion up to ``TOLERANCE``.

**Mixtures.** A problem of mixproof has ``target`` (P_X) and ``halfspaces`` (G) instead
of joint and notion. The claim is about mixtures of points v of {v >= 0, sum v = 1} with
the mean P_X and g v >= -``POLYTOPE_SLACK`` max(1, max |g|) for each row g of G. There
are some only if the target is such a point itself, which is verified; alone it achieves
0. If there is a ``channel`` P(y|x), its posteriors are verified to be such points too.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from operator import gt, mul
from typing import Any, NamedTuple

# results count 2^-BITS; logarithms and exponentials are computed in 2^-FINE
BITS, FINE = 112, 144
ONE = 1 << BITS
# liftlib tolerates 10^-9 nats; the rest is room for its rounding
TOLERANCE = Fraction(1005, 10**12)
SLACK = math.ceil((TOLERANCE + TOLERANCE**2) * ONE)
# by how much points of a mixture may miss a halfspace of size 1: what the search allows
POLYTOPE_SLACK = Fraction(101, 10**11)
# how far a row of the channel may be from summing to 1
SUM_TOLERANCE = Fraction(1, 10**9)
NOTION_FIELDS = {
    "ALIP": ("eps_l", "eps_u"), "LIP": ("eps",), "LDP": ("eps",),
    "L1Lift": ("eps_l", "eps_u"),
    "Chi2Lift": ("eps_l", "eps_u"), "AlphaLift": ("alpha", "eps_l", "eps_u"),
}  # fmt: skip
# the axes of a proof's arrays: n symbols, m pairs of halfspaces, k boxes, and w = m + 1
# weights
INTEGER_FIELDS = {
    "order": "n",
    "sides": "m2",
    "parent": "k",
    "child": "k",
    "kind": "k",
    "symbol": "k",
}
REAL_FIELDS = {
    "dual": "n",
    "caps": "n",
    "cap_weights": "nm",
    "level": "k",
    "weights": "kw",
}


# a box's number, with the least and the largest value of each coordinate
Part = tuple[int, list[int], list[int]]
# bounds, and boxes that bound the rest
Divided = tuple[list[int], list[Part]]


class NotProven(Exception):
    """Raised at the first step that fails, with its description."""


class Bounded(NamedTuple):
    """A box least <= v <= most with what bounds it, see "Bound" at the top.

    ``room`` is by how much a coordinate may exceed its least value, ``slopes`` are
    dual_x + (w G)_x + e, and ``terms`` each coordinate's part of ``total``, the bound
    of the whole box, in 2^-2 BITS.
    """

    least: list[int]
    most: list[int]
    room: int
    slopes: list[int]
    terms: list[int]
    total: int

    def change(self, x: int, a: int, b: int) -> int:
        """Return what is added to the total if a <= v_x <= b."""
        return ends(self.slopes[x], a, b) - self.terms[x]


class Box(NamedTuple):
    """A box least <= v <= most, in 2^-BITS, and its z: None if boxes below prove it, or
    if no distribution is in it.
    """

    at: int
    least: list[int]
    most: list[int]
    z: Fraction | None
    fails: bool


class Result(NamedTuple):
    """``upper`` is a bound on every I(X; Y), and ``by``, what the file holds, achieves
    ``value`` or more; nats.
    """

    upper: Fraction
    value: Fraction
    boxes: int
    about: dict[str, str]
    by: str

    def facts(self) -> dict[str, str]:
        """Return what was checked, the value, the bound and the gap, as text."""
        value = decimal(self.value, math.floor)
        bound = decimal(self.upper)
        return self.about | {
            "value": f"{value} nats, achieved by {self.by}",
            "bound": f"{bound} nats",
            "gap": f"{decimal(Fraction(bound) - Fraction(value))} nats",
        }

    def report(self) -> str:
        """Return what is proven, as text."""
        if "notion" in self.about:
            what = "mechanism that satisfies the notion"
            note = (
                "To see whether the table is yours, compare "
                "liftlib.exact.Joint(table).sha256."
            )
        else:
            what = "mixture with this mean"
            note = (
                "It names no notion and no joint distribution that this check could "
                "verify."
            )
        lines = [f"proven: no {what} achieves more than the bound"]
        lines += [f"{name + ':':<10}{fact}" for name, fact in self.facts().items()]
        lines.append(f"Each line is computed from the numbers in the file. {note}")
        return "\n".join(lines)


def require(condition: bool, step: str) -> None:
    """Raise NotProven unless a condition holds."""
    if not condition:
        raise NotProven(step)


def dot(a: Iterable[Any], b: Iterable[Any]) -> Any:
    """Return sum_i a_i b_i."""
    return sum(map(mul, a, b))


# Logarithms and exponentials


def atanh2(a: int, b: int) -> int:
    """Return 2 atanh(a / b) in units of 2^-FINE, |a / b| <= 1/3.

    It is off by < 256 units, as 46 terms are each off by < 2.5.
    """
    power = (abs(a) << FINE) // b
    square = (power * power) >> FINE
    total = 0
    k = 1
    while power:
        total += power // k
        power = (power * square) >> FINE
        k += 2
    return -2 * total if a < 0 else 2 * total


LOG2 = atanh2(1, 3)


def coarse(value: int, error: int) -> tuple[int, int]:
    """Return an enclosure of value +- error (2^-FINE) in units of 2^-BITS."""
    dropped = FINE - BITS
    return (value - error) >> dropped, -((-value - error) >> dropped)


def log(a: int, b: int = ONE) -> tuple[int, int]:
    """Return an enclosure of log(a / b), in units of 2^-BITS.

    a / b = m 2^e with 1/2 < m < 2. In units of 2^-FINE, e log 2 is off by < 256 |e|,
    log m by < 256 and m by < 1.
    """
    e = a.bit_length() - b.bit_length()
    m = (a << (FINE - e)) // b if e <= FINE else a // (b << (e - FINE))
    value = atanh2(m - (1 << FINE), m + (1 << FINE)) + e * LOG2
    error = 256 * (abs(e) + 2)
    return coarse(value, error)


def exp(x: Fraction) -> tuple[int, int]:
    """Return an enclosure of e^x for x <= 0, in units of 2^-BITS.

    Taylor's series at x / 256 is off by < 100 units of 2^-FINE; each of 8 squarings at
    most doubles this and adds 2.
    """
    if x < -100:
        return 0, 1
    y = math.floor(x * (1 << (FINE - 8)))
    total = term = 1 << FINE
    for k in range(1, 41):
        term = ((term * y) >> FINE) // k
        total += term
    for _ in range(8):
        total = (total * total) >> FINE
    low, high = coarse(total, 2**16)
    return max(0, low), high


def power(v: Fraction, b: Fraction) -> tuple[Fraction, Fraction]:
    """Return an enclosure of v^b for 0 <= v <= 1 and b > 0."""
    if v == 0:
        return Fraction(0), Fraction(0)
    low, high = log(v.numerator, v.denominator)
    least = exp(low * b / ONE)[0]
    most = exp(min(high, 0) * b / ONE)[1]
    return Fraction(least, ONE), Fraction(most, ONE)


def norm(
    p: list[Fraction], values: list[Fraction], b: Fraction
) -> tuple[Fraction, Fraction]:
    """Return an enclosure of (sum_s p_s v_s^b)^(1/b), for v >= 0 and b > 0."""
    top = max(values) or Fraction(1)
    terms = [power(v / top, b) for v in values]
    low, high = (min(dot(p, ends), Fraction(1)) for ends in zip(*terms, strict=True))
    return top * power(low, 1 / b)[0], top * power(high, 1 / b)[1]


def root(square: Fraction) -> Fraction:
    """Return an upper bound on the square root of ``square``."""
    return Fraction(math.isqrt(math.ceil(square * ONE**2)) + 1, ONE)


@lru_cache(100_000)
def entropy(t: int) -> int:
    """Return a lower bound on -t log t in units of 2^-2 BITS, for t in 2^-BITS."""
    return -t * log(t)[1] if t else 0


# Joint distribution, notion and channel


def ratio(value: Any, name: str) -> tuple[int, int]:
    """Return a finite JSON number of at most 1024 bits as numerator and denominator.

    A decimal stands for the nearest binary64.
    """
    if type(value) is int:
        fits = value.bit_length() <= 1024
    else:
        fits = type(value) is float and math.isfinite(value)
    if not fits:
        raise NotProven(f"{name} has no finite number")
    found: tuple[int, int] = value.as_integer_ratio()
    return found


def number(value: Any, name: str) -> Fraction:
    """Return a finite JSON number as a fraction."""
    return Fraction(*ratio(value, name))


def units(value: Any, name: str) -> int:
    """Return a finite JSON number in units of 2^-BITS, rounded down."""
    above, below = ratio(value, name)
    return (above << BITS) // below


def table(value: Any, name: str, least: float = 0.0) -> list[list[Fraction]]:
    """Return a validated table of numbers, each at least ``least``."""
    require(
        type(value) is list and all(type(row) is list and row for row in value),
        f"{name} is not a table",
    )
    require(
        len({len(row) for row in value}) == 1,
        f"{name} is empty or has rows of different lengths",
    )
    rows = [[number(entry, name) for entry in row] for row in value]
    require(min(map(min, rows)) >= least, f"{name} has a negative entry")
    return rows


def scaled(rows: list[list[Fraction]]) -> tuple[list[list[int]], int]:
    """Return a table as integers over one denominator, and the denominator."""
    below = math.lcm(*(entry.denominator for row in rows for entry in row))
    whole = [
        [entry.numerator * (below // entry.denominator) for entry in row]
        for row in rows
    ]
    return whole, below


def sha256(rows: list[list[Fraction]]) -> str:
    """Return the SHA-256 of a table of fractions."""
    return hashlib.sha256(
        "\n".join(" ".join(map(str, row)) for row in rows).encode()
    ).hexdigest()


class Joint:
    """P_SX from probabilities or counts: ``p_s``, ``p_x``, ``given[s][x]`` = P(s|x).

    ``counts`` are integers in proportion to P_SX, with sums ``sizes`` of secrets,
    ``columns`` of symbols, and ``total``.
    """

    def __init__(self, value: Any, name: str = "joint") -> None:
        self.counts, _ = scaled(table(value, name))
        self.sizes = [sum(row) for row in self.counts]
        self.columns = [sum(column) for column in zip(*self.counts, strict=True)]
        full = all(self.columns) and all(self.sizes)
        require(full, f"{name} has an empty row or column")
        self.total = sum(self.sizes)
        self.p_s = self.shares(self.sizes)
        self.p_x = self.shares(self.columns)
        self.given = [list(map(Fraction, row, self.columns)) for row in self.counts]
        self.sha256 = sha256([self.shares(row) for row in self.counts])

    def shares(self, counts: list[int]) -> list[Fraction]:
        """Return counts divided by the total."""
        return [Fraction(count, self.total) for count in counts]

    def lift(self, s: int) -> list[Fraction]:
        """Return P(s|x) / P(s) for each x."""
        return [entry / self.p_s[s] for entry in self.given[s]]


class Polytope:
    """Halfspaces G v >= -slack, and the target, which must satisfy them."""

    def __init__(self, problem: Any, target: Joint) -> None:
        value = problem.get("halfspaces")
        rows = []
        if value != []:  # without any, all points are allowed
            rows = table(value, "halfspaces", -math.inf)
        n = len(target.p_x)
        fits = all(len(row) == n for row in rows)
        require(fits, "halfspaces and target differ in length")
        self.count = len(rows)
        self.target = target
        self.rows, self.scale = scaled(rows)
        sizes = [max(self.scale, *map(abs, row)) for row in self.rows]
        self.slacks = [POLYTOPE_SLACK * size for size in sizes]
        at = self.violated(target.columns)
        require(
            at is None, f"the target violates halfspace {at}: no mixture has this mean"
        )
        self.about = {
            "polytope": f"{self.count} halfspaces, SHA-256 {sha256(rows)}",
            "target": f"{n} symbols, SHA-256 {target.sha256}",
        }
        alone = problem.get("channel") is None
        self.by = "the target alone" if alone else "the mixture in the file"

    def violated(self, masses: list[int]) -> int | None:
        """Return the first halfspace that a point in proportion to ``masses`` violates
        by more than its slack.
        """
        size = sum(masses)
        for at, row in enumerate(self.rows):
            if dot(row, masses) < -self.slacks[at] * size:
                return at
        return None

    def check_output(self, y: int, column: tuple[int, ...]) -> None:
        """Raise NotProven unless the posterior of an output is in the polytope."""
        at = self.violated(list(map(mul, column, self.target.columns)))
        require(at is None, f"point {y} of the mixture violates halfspace {at}")

    def row(self, at: int) -> list[int]:
        """Return upper bounds on the entries of g, in units of 2^-BITS."""
        return [-(-(entry << BITS) // self.scale) for entry in self.rows[at]]

    def slack(self, at: int) -> int:
        """Return an upper bound on by how much g v may be negative, in 2^-BITS."""
        return math.ceil(self.slacks[at] * ONE / self.scale)


class Notion:
    """A notion and the ``count`` halfspaces of the posteriors that it allows."""

    def __init__(self, problem: Any, joint: Joint) -> None:
        value = problem.get("notion")
        tangents = problem.get("tangents")
        relaxed = problem.get("relaxed")
        fits = type(value) is dict and type(relaxed) is bool and type(tangents) is list
        require(fits, "notion, relaxed or tangents is missing")
        kind = str(value.get("class"))
        known = kind in NOTION_FIELDS
        require(known, f"{kind} is not a notion that this checker knows")
        given = self.read(kind, value.get("fields"))
        self.joint = joint
        self.tangents = tangents
        size = f"{len(joint.p_s)} secrets x {len(joint.p_x)} symbols"
        self.about = {
            "notion": self.name,
            "joint": f"{size}, SHA-256 {joint.sha256}",
        }
        self.by = "the mechanism in the file"
        self.alpha = given.get("alpha") or Fraction(0)
        eps_l = given.get("eps_l", given.get("eps"))
        eps_u = given.get("eps_u", given.get("eps"))
        if kind == "LIP" or (kind == "AlphaLift" and given["alpha"] is None):
            kind = "ALIP"
        if kind != "LDP" and 0 in (eps_l, eps_u):
            kind, eps_l, eps_u = "ALIP", Fraction(0), Fraction(0)
        self.kind = kind
        budgets = [None if kind == "LDP" else eps_l, eps_u]
        # e^-eps; a proof may do without the bound on the least lift
        self.ends: list[Any] = [None, None]
        for side, eps in enumerate(budgets):
            without = relaxed and (side == 0 or kind == "LDP")
            if eps is not None and not without:
                self.ends[side] = [Fraction(end, ONE) for end in exp(-eps)]
        # what e^eps times the measure of an output may not exceed
        self.limits = [
            None if eps is None else Fraction(exp(-eps - TOLERANCE)[1], ONE)
            for eps in budgets
        ]
        n = len(joint.p_s)
        sides = 2 - self.ends.count(None)
        numbered = {"ALIP": sides * n, "LDP": sides * n * (n - 1), "L1Lift": 2**n - 2}
        self.count = numbered.get(kind, len(tangents))

    def read(self, kind: str, fields: Any) -> dict[str, Fraction | None]:
        """Return a notion's parameters, None for infinity, and keep its name."""
        names = NOTION_FIELDS[kind]
        fits = type(fields) is dict and set(fields) == set(names)
        require(fits, f"{kind} takes {', '.join(names)}")
        given: dict[str, Fraction | None] = {}
        for name, entry in fields.items():
            found = None if entry == "inf" else number(entry, name)
            require(found is None or found >= 0, f"{kind} has a negative parameter")
            given[name] = found
        alpha = given.get("alpha")
        require(alpha is None or alpha > 1, "alpha is not above 1")
        self.name = f"{kind}({', '.join(f'{name}={fields[name]}' for name in names)})"
        return given

    def measure(self, lifts: list[Fraction]) -> Fraction:
        """Return an upper bound on the measure that e^eps bounds, given (inverse)
        lifts.
        """
        p = self.joint.p_s
        if self.kind == "LDP":
            return max(lifts) / min(lifts)  # min(lifts) > 0: check_output requires it
        if self.kind == "L1Lift":
            return Fraction(1 + dot(p, (abs(lift - 1) for lift in lifts)))
        if self.kind == "Chi2Lift":
            return 1 + root(dot(p, ((lift - 1) ** 2 for lift in lifts)))
        if self.kind == "AlphaLift":
            return norm(p, lifts, self.alpha)[1]
        return max(lifts)

    def check_output(self, y: int, column: tuple[int, ...]) -> None:
        """Raise NotProven if an output y exceeds a budget by more than ``TOLERANCE``.

        ``column`` has integers in proportion to P(y|x).
        """
        joint = self.joint
        p_y = dot(joint.columns, column)
        lifts = [
            Fraction(dot(row, column) * joint.total, size * p_y)
            for row, size in zip(joint.counts, joint.sizes, strict=True)
        ]
        for side, limit in enumerate(self.limits):
            if limit is None:
                continue
            budget = ("eps_l", "eps_u")[side]
            step = f"output {y} of the channel exceeds {budget} of {self.name}"
            divides = side == 0 or self.kind == "LDP"
            require(min(lifts) > 0 or not divides, step)
            judged = lifts if side == 1 else [1 / lift for lift in lifts]
            require(self.measure(judged) * limit <= 1, step)

    def row(self, at: int) -> list[int]:
        """Return upper bounds on the entries of g, in units of 2^-BITS."""
        joint = self.joint
        n = len(joint.p_s)
        if self.kind == "LDP":
            a, b = divmod(at, n - 1)
            others = joint.lift(b + (b >= a))  # b numbers the secrets other than a
            pairs = zip(joint.lift(a), others, strict=True)
            least = self.ends[1][0]
            return [math.ceil((y - least * x) * ONE) for x, y in pairs]
        if self.kind == "ALIP":
            upper = self.ends[0] is None or at >= n
            f = joint.lift(at % n)
        else:
            upper, constant, weights = self.functional(at)
            columns = zip(*joint.given, strict=True)
            f = [constant + dot(weights, column) for column in columns]
        ends = self.ends[upper]
        require(ends is not None, f"halfspace {at} belongs to an infinite budget")
        if upper:
            return [math.ceil((1 - ends[e < 0] * e) * ONE) for e in f]
        return [math.ceil((e - ends[0]) * ONE) for e in f]

    def slack(self, at: int) -> int:  # noqa: ARG002 - the same for each
        """Return an upper bound on by how much g v may be negative, in 2^-BITS."""
        return SLACK

    def functional(self, at: int) -> tuple[bool, Fraction, list[Fraction]]:
        """Return whether f is "upper", and f as a constant and weights of P(s|x)."""
        p = self.joint.p_s
        if self.kind == "L1Lift":
            of_set = [((at + 1) >> s) & 1 for s in reversed(range(len(p)))]
            inside = [Fraction(2 * member) for member in of_set]
            return True, 1 - dot(inside, p), inside
        upper, u = self.tangent(at)
        if self.kind == "Chi2Lift":
            size = root(dot(p, (v * v for v in u)))
            return True, 1 - dot(p, u) / size, [v / size for v in u]
        require(min(u) >= 0, f"tangent {at} has a negative entry")
        b = self.alpha / (self.alpha - 1 if upper else self.alpha + 1)
        low, high = norm(p, u, b)
        size = high if upper else low  # so that g is larger
        require(size > 0, f"tangent {at} has no direction")
        return upper, Fraction(0), [v / size for v in u]

    def tangent(self, at: int) -> tuple[bool, list[Fraction]]:
        """Return whether a tangent of the problem is "upper", and its vector u."""
        name = f"tangent {at}"
        value = self.tangents[at]
        fits = type(value) is list and len(value) == 2
        fits = fits and value[0] in ("lower", "upper")
        require(fits, f"{name} is on neither side")
        side, vector = value
        u = table([vector], name, -math.inf)[0]
        whole = len(u) == len(self.joint.p_s)
        require(whole, f"{name} has not one number for each secret")
        return side == "upper", u


def check_channel(allowed: Notion | Polytope, joint: Joint, value: Any) -> Fraction:
    """Return a lower bound on I(X; Y) for a channel all of whose posteriors are
    allowed.

    The largest entry of each row is adjusted so that the row sums to 1 exactly.
    """
    kernel, one = scaled(table(value, "channel"))
    n = len(joint.columns)
    require(len(kernel) == n, f"the channel has {len(kernel)} rows for {n} symbols")
    for x, row in enumerate(kernel):
        missing = one - sum(row)
        sums = abs(missing) <= SUM_TOLERANCE * one
        require(sums, f"row {x} of the channel does not sum to 1")
        row[row.index(max(row))] += missing
    total = 0
    for y, column in enumerate(zip(*kernel, strict=True)):
        masses = list(map(mul, column, joint.columns))
        p_y = sum(masses)
        if not p_y:
            continue
        allowed.check_output(y, column)
        for mass, entry in zip(masses, column, strict=True):
            if mass:
                total += mass * log(entry * joint.total, p_y)[0]
    return Fraction(total, (joint.total * one) << BITS)


# The proof


class Proof:
    """The numbers of a proof for n symbols, and the tree of its boxes."""

    def __init__(self, value: Any, n: int, allowed: Notion | Polytope) -> None:
        names = INTEGER_FIELDS | REAL_FIELDS
        fits = is_of_format(value, "liftlib proof")
        fits = fits and all(type(value.get(name)) is list for name in names)
        require(fits, "this is no proof of version 1")
        m, k = len(value["sides"]) // 2, len(value["parent"])
        sizes = {"n": n, "m": m, "2": 2, "k": k, "w": m + 1}
        read: dict[str, Any] = {}
        for name, axes in names.items():
            read[name] = self.field(value, name, [sizes[axis] for axis in axes])
        self.upper = number(value.get("upper"), "upper")
        self.dual = read["dual"]
        self.order = read["order"]
        self.caps = read["caps"]
        self.kind = read["kind"]
        self.symbol = read["symbol"]
        self.level = read["level"]
        self.sides = read["sides"]
        self.weights = read["weights"]
        require(k > 0, "the proof has no box")
        in_order = sorted(self.order) == list(range(n))
        require(in_order, "order does not name each symbol once")
        named = {side for pair in self.sides for side in pair}
        require(
            all(-1 <= side < allowed.count for side in named),
            f"sides names a halfspace beyond the {allowed.count} there are",
        )
        self.rows = {side: allowed.row(side) for side in named if side >= 0}
        self.slack = {side: allowed.slack(side) for side in self.rows}
        self.children: list[dict[int, int]] = [{} for _ in self.kind]
        for at, parent in enumerate(read["parent"]):
            self.join(at, parent, read["child"][at])
        for at in range(k):
            self.check_box(at, n)
        for x, weights in enumerate(read["cap_weights"]):
            self.check_cap(x, weights)

    @staticmethod
    def field(value: Any, name: str, shape: list[int]) -> Any:
        """Return a field, in units if it is real, and as rows if it has two axes."""
        flat = value[name]
        shapes = value.get("shapes")
        given = shapes.get(name) if type(shapes) is dict else None
        fits = given == shape and all(type(size) is int for size in given)
        require(
            fits and len(flat) == math.prod(shape),
            f"{name} is not of shape {shape}: the proof is not for this joint "
            "distribution",
        )
        if name in REAL_FIELDS:
            flat = [units(entry, name) for entry in flat]
        else:
            whole = all(type(entry) is int for entry in flat)
            require(whole, f"{name} has no integer")
        if len(shape) == 1:
            return flat
        count, width = shape
        return [flat[at * width : (at + 1) * width] for at in range(count)]

    def join(self, at: int, parent: int, child: int) -> None:
        """Record a box as a child of its parent, which comes before it.

        Box 0 is the root.
        """
        if at == 0:
            require(parent == -1, "box 0, the root, has a parent")
            return
        later = 0 <= parent < at
        require(later, f"box {at} does not come after its parent")
        siblings = self.children[parent]
        require(child not in siblings, f"box {parent} has child {child} twice")
        siblings[child] = at

    def check_box(self, at: int, n: int) -> None:
        """Raise NotProven unless a box is divided in a way that exists."""
        kind = self.kind[at]
        exists = kind in (0, 1, 2)
        require(exists, f"box {at} is of kind {kind}, which does not exist")
        require(
            kind != 2 or 0 <= self.symbol[at] < n,
            f"box {at} is divided at a symbol that does not exist",
        )
        fits = kind != 1 or self.level[at] >= 0
        require(fits, f"box {at} is divided at a negative level")
        may = (range(0), range(-1, n), range(2))[kind]
        fits = all(child in may for child in self.children[at])
        require(fits, f"box {at} has a child that it cannot have")

    def check_cap(self, x: int, weights: list[int]) -> None:
        """Raise NotProven if v_x may exceed its cap."""
        unit = [0] * len(self.caps)
        unit[x] = ONE
        total, loose = self.combined(weights, unit)
        room = (self.caps[x] - max(total)) << BITS
        proven = self.caps[x] >= ONE or room >= loose
        require(proven, f"symbol {x} is capped below what is proven")

    def combined(self, weights: list[int], start: list[int]) -> tuple[list[int], int]:
        """Bound start + w G (2^-BITS) and sum(w slack) (2^-2 BITS) from above."""
        sizes = []
        rows = []
        loose = 0
        for weight, pair in zip(weights, self.sides, strict=True):
            side = pair[weight < 0]
            if weight and side >= 0:
                sizes.append(abs(weight))
                rows.append(self.rows[side])
                loose += abs(weight) * self.slack[side]
        if not sizes:
            return start, 0
        total = []
        for entry, column in zip(start, zip(*rows, strict=True), strict=True):
            exact = sum(map(mul, sizes, column), entry << BITS)
            total.append(-(-exact >> BITS))
        return total, loose

    def boxes(self, needed: Fraction | None) -> Iterator[Box]:
        """Yield the boxes with the z that they prove; raise NotProven after the first
        that proves less than needed.
        """
        waiting = [(0, [0] * len(self.caps), self.caps)]
        while waiting:
            at, least, most = waiting.pop()
            room = ONE - sum(least)
            if room < 0 or any(map(gt, least, most)):
                yield Box(at, least, most, None, False)  # no distribution is in the box
                continue
            within = [min(b, room + a) for a, b in zip(least, most, strict=True)]
            box = self.bounded(at, least, within, room)
            bounds, parts = self.divided(at, box)
            waiting += parts
            z = Fraction(min(bounds), ONE**2) if bounds else None
            if needed is not None and z is not None and z < needed:
                yield Box(at, least, most, z, True)
                raise NotProven(
                    f"box {at} proves z = {decimal(z)}, but the bound needs "
                    f"{decimal(needed)}"
                )
            yield Box(at, least, most, z, False)

    def bounded(self, at: int, least: list[int], most: list[int], room: int) -> Bounded:
        """Return a box with the bound that its weights prove."""
        *weights, each = self.weights[at]
        slopes, loose = self.combined(weights, [dual + each for dual in self.dual])
        terms = list(map(ends, slopes, least, most))
        total = (each << BITS) - loose + sum(terms)
        return Bounded(least, most, room, slopes, terms, total)

    def divided(self, at: int, box: Bounded) -> Divided:
        """Return the bounds of a box's unrecorded children, and the recorded ones."""
        if self.kind[at] == 2:
            return self.halves(at, box)
        if self.kind[at] == 1:
            return self.by_first(at, box)
        return [box.total], []

    def halves(self, at: int, box: Bounded) -> Divided:
        """Return what :meth:`divided` does for a box divided at a level of a symbol."""
        children = self.children[at]
        level = self.level[at]
        x = self.symbol[at]
        least = box.least[x]
        most = box.most[x]
        bounds: list[int] = []
        parts: list[Part] = []
        intervals = (least, min(most, level)), (max(least, level), most)
        for child, (a, b) in enumerate(intervals):
            if child in children:
                low = replaced(box.least, x, a)
                parts.append((children[child], low, replaced(box.most, x, b)))
            elif a <= b and a - least <= box.room:
                bounds.append(box.total + box.change(x, a, b))
        return bounds, parts

    def by_first(self, at: int, box: Bounded) -> Divided:
        """Return what :meth:`divided` does for a box divided by which symbol first
        exceeds a level.
        """
        children = self.children[at]
        level = self.level[at]
        bounds: list[int] = []
        parts: list[Part] = []
        # the symbols before x are at most the level
        most = box.most.copy()
        total = box.total
        for x in self.order:
            may = box.least[x] == 0 and most[x] > level
            # if x may not exceed the level, this adds a box and takes none away
            if x in children:
                low = replaced(box.least, x, max(box.least[x], level))
                parts.append((children[x], low, most.copy()))
            elif may and level <= box.room:
                bounds.append(total + box.change(x, level, most[x]))
            if may:
                most[x] = level
                total += box.change(x, 0, level)
        if -1 in children:
            parts.append((children[-1], box.least, most))
        else:
            bounds.append(total)
        return bounds, parts


def ends(slope: int, a: int, b: int) -> int:
    """Return a lower bound on -t log t - slope t at t = a and b, in 2^-2 BITS."""
    return min(entropy(a) - slope * a, entropy(b) - slope * b)


def replaced(values: list[int], x: int, value: int) -> list[int]:
    """Return a copy of ``values`` with ``value`` at index x."""
    return [*values[:x], value, *values[x + 1 :]]


# The check


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, or raise NotProven if a key appears twice: readers differ
    in which of the two they take.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise NotProven(
            f"the key {next(name for name in names if names.count(name) > 1)!r} "
            "appears twice"
        )
    return found


def parsed(text: str | bytes) -> Any:
    """Return the value of a JSON text; raise ValueError if it is none, and NotProven if
    a key appears twice.
    """
    return json.loads(text, object_pairs_hook=unique)


def is_of_format(value: Any, name: str) -> bool:
    """Return whether a JSON object is of a format and its version 1."""
    fits = type(value) is dict and value.get("format") == name
    return fits and type(value.get("version")) is int and value["version"] == 1


def steps(problem: Any) -> Iterator[str | Box | Result]:
    """Yield each verified step in words, each box, and last the result; raise NotProven
    if a step fails.
    """
    mixture = is_of_format(problem, "mixproof problem")
    require(
        mixture or is_of_format(problem, "liftlib problem"),
        "this is no problem of version 1 (a proof alone is none: it names no table)",
    )
    allowed: Notion | Polytope
    if mixture:
        joint = Joint([problem.get("target")], "target")
        allowed = Polytope(problem, joint)
    else:
        joint = Joint(problem.get("joint"))
        allowed = Notion(problem, joint)
    yield from (f"{name}: {fact}" for name, fact in allowed.about.items())
    yield f"{allowed.count} halfspaces contain every posterior that is allowed"
    alone = mixture and problem.get("channel") is None
    value = (
        Fraction(0) if alone else check_channel(allowed, joint, problem.get("channel"))
    )
    least = decimal(value, math.floor)
    yield f"{allowed.by} is allowed and achieves at least {least} nats"
    proof = Proof(problem.get("proof"), len(joint.p_x), allowed)
    boxes = len(proof.kind)
    yield f"the {boxes} boxes form a tree, and the caps of its root are proven"
    most = (
        dot(joint.p_x, (-log(p.numerator, p.denominator)[0] for p in joint.p_x)) / ONE
    )
    free = most - dot(proof.dual, joint.p_x) / ONE
    needed = free - proof.upper if proof.upper < most else None
    yield (
        "H(X) needs no proof"
        if needed is None
        else f"the bound holds if every box proves z >= {decimal(needed)}"
    )
    z = Fraction(ONE)
    for box in proof.boxes(needed):
        yield box
        z = min(z, z if box.z is None else box.z)
    yield Result(min(free - z, most), value, len(proof.kind), allowed.about, allowed.by)


def check(problem: Any) -> Result:
    """Return what a problem (parsed JSON) proves; raise NotProven if a step fails."""
    *_, result = steps(problem)
    return result  # type: ignore[return-value]


def decimal(x: Fraction, rounded: Callable[[Fraction], int] = math.ceil) -> str:
    """Return a number as text with ten decimals, rounded up or as asked."""
    units = rounded(x * 10**10)
    return f"{'-' * (units < 0)}{abs(units) // 10**10}.{abs(units) % 10**10:010d}"


def main(path: str) -> int:
    """Print the verdict on a file; return 0 if the bound is proven."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - the standard library's shortest
            result = check(parsed(file.read()))
    except (NotProven, OSError, ValueError, RecursionError) as error:
        # the file's own words may hold anything
        print(f"not proven: {ascii(str(error))[1:-1]}")
        return 1
    print(result.report())
    return 0


if __name__ == "__main__":
    named = len(sys.argv) == 2 and sys.argv[1] not in ("-h", "--help")
    sys.exit(
        main(sys.argv[1]) if named else f"usage: python {sys.argv[0]} problem.json"
    )
