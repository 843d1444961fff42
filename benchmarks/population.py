"""Releases for the population under known laws: how many say something, what they
retain, and whether any is broken.

``python -m benchmarks.population [LAW ...] [--tables N] [--noise C]`` computes
data/use.csv, or the lines of some laws. Each table of n rows is drawn from a law, a
release is made of it on the road of ``lift release`` (confidence .95, a belief of 10 %
may become 20 %), and judged by the law: the share of H(X) that it retains, and whether
the law satisfies the notion.
"""

from __future__ import annotations

import argparse
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import liftlib as ll
from lifttables.confident.families import MERGING, SUBSET_RESPONSE, designed
from lifttables.confident.subset_lattice import MAX_RESPONSE_SYMBOLS
from lifttables.encoding.columns import Counts, Symbols
from lifttables.releases.noising import level_for, with_noise
from lifttables.releases.pipeline import LEAST_RETAINED, MOST_TO_GROUP, READABLE_SHARE
from lifttables.releases.question import Question
from mixproof.numerics import KEEP_TOL, Matrix

FILE = Path(__file__).parent.parent / "data" / "use.csv"
NOTION = Question(0.1, 0.2).notion
ROWS = (300, 1000, 5000)
MOST_OF_OPTIMUM = 20  # symbols
# of Dirichlet distributions P(x|s) around one P(x): I(S;X) is then about .15 nats
DEPENDENCE = 12.0


def conditional(
    seed: int, prior: list[float], n_public: int, dependence: float = DEPENDENCE
) -> Matrix:
    """Return P(s, x) with random conditional distributions."""
    rng = np.random.default_rng([seed, n_public])
    p_x = rng.dirichlet(np.full(n_public, 4.0))
    given = np.array([rng.dirichlet(dependence * p_x + 1e-3) for _ in prior])
    return np.array(prior)[:, None] * given


def independent(seed: int) -> Matrix:
    """Return P(s, x) of an X that tells nothing."""
    p_x = np.random.default_rng(seed).dirichlet(np.full(6, 4.0))
    return np.full((4, 1), 0.25) * p_x


def rare_symbols(seed: int) -> Matrix:
    """Return P(s, x) where two symbols have about 1 % each."""
    rng = np.random.default_rng(seed)
    p_x = np.array([0.4, 0.3, 0.2, 0.08, 0.01, 0.01])
    return 0.25 * np.array([rng.dirichlet(DEPENDENCE * p_x + 1e-3) for _ in range(4)])


def absent(seed: int) -> Matrix:
    """Return P(s, x) where one listed secret never occurs."""
    joint = conditional(seed, [0.5, 0.3, 0.2], 6)
    return np.vstack([joint, np.zeros(6)])


EQUAL = [0.25] * 4
LAWS = {
    "4x6, moderate": lambda seed: conditional(seed, EQUAL, 6),
    "4x6, weak": lambda seed: conditional(seed, EQUAL, 6, 100.0),
    "4x6, strong": lambda seed: conditional(seed, EQUAL, 6, 2.0),
    "4x6, independent": independent,
    "4x6, 1 % secret": lambda seed: conditional(seed, [0.55, 0.3, 0.14, 0.01], 6),
    "4x6, .4 % secret, independent": lambda seed: (
        np.array([[0.55], [0.3], [0.146], [0.004]]) * independent(seed).sum(axis=0)
    ),
    "4x6, absent secret": absent,
    "4x6, 1 % symbols": rare_symbols,
    "2x4, 97 % secret": lambda seed: conditional(seed, [0.97, 0.03], 4),
    "2x2": lambda seed: conditional(seed, [0.6, 0.4], 2),
    "3x12": lambda seed: conditional(seed, [0.5, 0.3, 0.2], 12),
    "6x20": lambda seed: conditional(seed, [1 / 6] * 6, 20),
    "4x54": lambda seed: conditional(seed, EQUAL, 54),
}


class Released(NamedTuple):
    """One release: what it retains under the law, and its subset response, and what
    became of it.
    """

    retained: float
    response: float
    published: bool
    groups: bool
    constant: bool
    broken: bool
    noise: float
    seconds: float


def release(p: Matrix, n: int, seed: int, noise: float | None = None) -> Released:
    """Return the release of one table of n rows."""
    table = (
        np.random.default_rng([seed, n])
        .multinomial(n, p.ravel() / p.sum())
        .reshape(p.shape)
    )
    counts = Counts(
        table, Symbols.numbered("s", len(p)), Symbols.numbered("x", p.shape[1])
    )
    started = time.process_time()
    noisy = with_noise(
        counts, noise, seed.to_bytes(32, "little"), MAX_RESPONSE_SYMBOLS
    ).noisy
    assert noisy is not None
    sample = noisy.sample(0.95)
    response = made = designed(sample, NOTION, family=SUBSET_RESPONSE)
    if p.shape[1] <= MOST_TO_GROUP:
        groups = designed(sample, NOTION, family=MERGING)
        made = groups if groups.nmi >= READABLE_SHARE * response.nmi else response
    seconds = time.process_time() - started
    joint = law_of(p)
    published = made.nmi >= LEAST_RETAINED
    retained, of_response = (
        abs(ll.evaluate(joint, one.channel).nmi) * published for one in (made, response)
    )
    constant = made.channel.n_outputs == 1
    broken = NOTION.violation(joint, made.channel) > KEEP_TOL
    return Released(
        retained,
        of_response,
        published,
        made is not response,
        constant,
        broken,
        noisy.c,
        seconds,
    )


def law_of(p: Matrix) -> ll.Joint:
    """Return the law without secrets that never occur, about which nothing can be
    learnt.
    """
    occurs = p[p.sum(axis=1) > 0]
    return ll.Joint(occurs / occurs.sum())


@cache
def optimum(law: str, seed: int) -> float:
    """Return the share of H(X) that is retained by the optimum for who knows the law;
    NaN where that takes long.
    """
    joint = law_of(LAWS[law](seed))
    if joint.n_public > MOST_OF_OPTIMUM:
        return np.nan
    return abs(ll.evaluate(joint, ll.mechanisms["optimal"](joint, NOTION)).nmi)


def line(
    law: str, n: int, tables: int, noise: float | None = None
) -> dict[str, object]:
    """Return a line of the file: means and numbers of releases of some tables."""
    joints = [LAWS[law](seed) for seed in range(tables)]
    done = [release(p, n, seed, noise) for seed, p in enumerate(joints)]
    means = {
        name: np.mean([getattr(one, name) for one in done])
        for name in ("retained", "response", "seconds")
    }
    numbers = {
        name: sum(getattr(one, name) for one in done)
        for name in ("published", "groups", "constant", "broken")
    }
    # what somebody who knows all other rows may believe, from 10 %
    insider = ll.LDP(NOTION.odds_growth + 2 * done[0].noise).belief(0.1)[1]
    best = np.mean([optimum(law, seed) for seed in range(tables)])
    means = {"optimum": best, "insider": insider, **means}
    rounded = {name: f"{value:.3f}" for name, value in means.items()}
    is_default = done[0].noise == level_for(n, joints[0].size)
    key = {"law": law, "rows": n, "noise": f"{done[0].noise:g}", "default": is_default}
    return {**key, "tables": tables, **rounded, **numbers}


def main() -> None:
    """Complete the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "laws", nargs="*", metavar="LAW", help=f"of {', '.join(LAWS)}; all by default"
    )
    parser.add_argument(
        "--tables", type=int, default=10, help="for each law and number of rows"
    )
    parser.add_argument(
        "--noise", type=float, help="level of the noise; by default that of the command"
    )
    asked = parser.parse_args()
    for law in asked.laws or LAWS:
        for n in ROWS:
            found = line(law, n, asked.tables, asked.noise)
            known = (
                pd.read_csv(FILE, dtype=str).to_dict("records") if FILE.exists() else []
            )
            key = {name: str(found[name]) for name in ("law", "rows", "noise")}
            known = [
                one
                for one in known
                if any(one[name] != value for name, value in key.items())
            ]
            pd.DataFrame([*known, found]).to_csv(FILE, index=False)
            print(found, flush=True)


if __name__ == "__main__":
    main()
