"""Search small joint distributions for an optimum whose certificate its own check
refuses.

``python -m benchmarks.certificates 10000 --seed 0 --minutes 25`` draws joint
distributions with zeros, duplicate columns, rare symbols, one secret or one symbol, and
tiny, ordinary and large budgets of every notion. It prints what is wrong and, at the
end, a row for each notion: how many certificates hold, and how many have an infinite
bound because a symbol is rare. Any other infinite bound is wrong.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections import Counter

import numpy as np

import liftlib as ll
from liftlib.errors import InfeasiblePrivacy, InvalidProof, LiftWarning
from liftlib.notions import AttributeWise
from mixproof.numerics import NEGLIGIBLE_MASS

WORK = 400
"""Linear programs of a search, after which its bound is wide but must hold."""

RARE = 1e-12
"""Least probability of a cell that is drawn, before the table is normalised."""

RESULTS = ("holds", "rare symbol", "infeasible", "wrong")
"""What becomes of a joint distribution and a notion."""

KINDS = (
    "ALIP",
    "LIP",
    "LDP",
    "L1Lift",
    "Chi2Lift",
    "AlphaLift",
    "SRLIP",
    "PerfectPrivacy",
)


def drawn_joint(rng: np.random.Generator) -> ll.Joint:
    """Return a joint distribution of at most 6 secrets and 11 symbols; one in five has
    one of either.
    """
    n_secret, n_public = int(rng.integers(2, 7)), int(rng.integers(2, 12))
    one = rng.random()
    n_secret = 1 if one < 0.1 else n_secret
    n_public = 1 if 0.1 <= one < 0.2 else n_public
    table = rng.gamma(rng.choice([0.2, 1.0]), size=(n_secret, n_public)) + 1e-9
    how = rng.integers(4)
    if how == 0:
        table *= rng.random(table.shape) < 0.6
    elif how == 1:
        table[:, -1] = table[:, 0]  # the same P(s|x)
    elif how == 2:
        table *= 10.0 ** rng.uniform(math.log10(RARE), 0, size=n_public)
    return (
        ll.Joint.from_counts(table + 0.0, drop_empty=True)
        if table.any()
        else drawn_joint(rng)
    )


def drawn_notion(rng: np.random.Generator, kind: str, joint: ll.Joint) -> ll.Notion:
    """Return a notion with a budget of 0, 1e-9 to 1, 0.05 to 3, or 50 nats."""
    eps = (0.0, 10.0 ** rng.uniform(-9, 0), float(np.exp(rng.uniform(-3, 1))), 50.0)[
        rng.choice(4, p=[0.05, 0.25, 0.6, 0.1])
    ]
    share = rng.uniform(0.1, 0.9)
    if kind == "ALIP":
        return ll.ALIP.split(eps, share)
    if kind == "L1Lift":
        return ll.L1Lift(np.inf, eps)
    if kind == "Chi2Lift":
        return ll.Chi2Lift(np.inf, eps)
    if kind == "AlphaLift":
        return ll.AlphaLift(
            float(rng.choice([1.5, 2.0, 5.0, np.inf])), eps * share, eps
        )
    if kind == "SRLIP":
        n = joint.n_public
        width = next(
            k
            for k in range(1, n + 1)
            if n % k == 0 and (k > 1 or n == 1 or rng.random() < 0.3)
        )
        return ll.SRLIP(eps, (width, n // width))
    if kind == "PerfectPrivacy":
        return ll.PerfectPrivacy()
    return {"LIP": ll.LIP, "LDP": ll.LDP}[kind](eps)


def has_no_bound(joint: ll.Joint, notion: ll.Notion) -> bool:
    """Return whether a search is documented to state no bound: it removes a symbol of
    less than ``NEGLIGIBLE_MASS``, unless the notion is about attributes or allows X
    itself.
    """
    if isinstance(notion, AttributeWise) or notion.is_satisfied(joint):
        return False
    return bool(joint.p_x.min() < NEGLIGIBLE_MASS)


def judged(joint: ll.Joint, notion: ll.Notion) -> tuple[str, str]:
    """Return one of ``RESULTS`` for the optimum's certificate, and what is wrong."""
    try:
        channel = ll.mechanisms.optimal(
            joint, notion, gap=1e-4, work=WORK, method="tree"
        )
    except InfeasiblePrivacy:
        return "infeasible", ""
    if not math.isfinite(channel.certificate.upper):
        if has_no_bound(joint, notion):
            return "rare symbol", ""
        return "wrong", "an infinite bound without a rare symbol"
    try:
        checked = ll.check_proof(joint, notion, channel)
    except InvalidProof as error:
        return "wrong", f"refused: {error}"
    if not checked.value <= checked.upper + 1e-12:
        return "wrong", f"the value {checked.value} is above {checked.upper}"
    best = ll.measures.entropy(joint.p_x)
    if joint.n_secret == 1 and not abs(checked.value - best) < 1e-8:
        return "wrong", f"one secret, but {checked.value} of {best} nats"
    return "holds", ""


def search(count: int, seed: int, minutes: float) -> Counter[tuple[str, str]]:
    """Return the number of cases by notion and result."""
    ends = time.monotonic() + 60 * minutes
    found: Counter[tuple[str, str]] = Counter()
    for at in range(count):
        if time.monotonic() > ends:
            break
        rng = np.random.default_rng([seed, at])
        kind = KINDS[at % len(KINDS)]
        joint = drawn_joint(rng)
        notion = drawn_notion(rng, kind, joint)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LiftWarning)
            result, reason = judged(joint, notion)
        found[kind, result] += 1
        if result == "wrong":
            print(f"{at}: {joint.p.shape}, {notion}: {reason}", flush=True)
        if at % 200 == 199:
            wrong = sum(found[kind, "wrong"] for kind in KINDS)
            print(f"{at + 1} joints, {wrong} wrong", flush=True)
    return found


def main() -> int:
    """Search, and print a row for each notion."""
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.certificates", description=__doc__
    )
    options.add_argument("count", type=int, help="joint distributions")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument(
        "--minutes", type=float, default=math.inf, help="the longest time"
    )
    args = options.parse_args()
    found = search(args.count, args.seed, args.minutes)
    for kind in KINDS:
        print(kind, ", ".join(f"{what} {found[kind, what]}" for what in RESULTS))
    total = {what: sum(found[kind, what] for kind in KINDS) for what in RESULTS}
    print("all", ", ".join(f"{what} {count}" for what, count in total.items()))
    return int(total["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
