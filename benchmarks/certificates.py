"""Search small joint distributions for an optimum whose certificate its own check
refuses.

``python -m benchmarks.certificates 10000 --seed 0 --minutes 25`` draws joint
distributions with zeros, duplicate columns, rare symbols, one secret or one symbol, and
tiny, ordinary and large budgets of every notion. It prints what is refused and, at the
end, a row for each notion.
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
from liftlib.notions import Polyhedral, provides

WORK = 400
"""Linear programs of a search, after which its bound is wide but must hold."""

SECONDS = 1.0
"""Seconds of a search, for notions that are not polyhedral: work does not limit their
rounds of tangents.
"""

RARE = 1e-12
"""Least probability of a cell that is drawn, before the table is normalised."""

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


def fault(joint: ll.Joint, notion: ll.Notion) -> str:
    """Return what is wrong with the optimum's certificate, or "", "unbounded" or
    "infeasible".
    """
    polyhedral = provides(notion, Polyhedral)
    how = {"method": "tree"} if polyhedral else {"seconds": SECONDS}
    try:
        channel = ll.mechanisms.optimal(joint, notion, gap=1e-4, work=WORK, **how)
    except InfeasiblePrivacy:
        return "infeasible"
    made = channel.certificate
    if not math.isfinite(made.upper):
        return "unbounded"
    try:
        checked = ll.check_proof(joint, notion, channel)
    except InvalidProof as error:
        return f"refused: {error}"
    best = ll.measures.entropy(joint.p_x)
    if not checked.value <= checked.upper + 1e-12:
        return f"the value {checked.value} is above the bound {checked.upper}"
    if joint.n_secret == 1 and not abs(checked.value - best) < 1e-8:
        return f"one secret, but {checked.value} of {best} nats are published"
    return ""


def search(count: int, seed: int, minutes: float) -> Counter[tuple[str, str]]:
    """Return the number of cases by notion and result."""
    ends, found = time.monotonic() + 60 * minutes, Counter()
    for at in range(count):
        if time.monotonic() > ends:
            break
        rng = np.random.default_rng([seed, at])
        kind = KINDS[at % len(KINDS)]
        joint = drawn_joint(rng)
        notion = drawn_notion(rng, kind, joint)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LiftWarning)
            wrong = fault(joint, notion)
        result = wrong if wrong in ("", "unbounded", "infeasible") else "wrong"
        found[kind, result] += 1
        if result == "wrong":
            print(f"{at}: {joint.p.shape}, {notion}: {wrong}", flush=True)
        if at % 200 == 199:
            print(
                f"{at + 1} joints,"
                f" {sum(n for (_, what), n in found.items() if what == 'wrong')} wrong",
                flush=True,
            )
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
        row = {
            what or "holds": found[kind, what]
            for what in ("", "unbounded", "infeasible", "wrong")
        }
        print(kind, ", ".join(f"{what} {n}" for what, n in row.items()))
    return int(any(what == "wrong" for _, what in found))


if __name__ == "__main__":
    sys.exit(main())
