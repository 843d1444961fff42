"""Releases for the population under known laws: how many say something, what they retain, and whether any is broken.

``python -m benchmarks.population [LAW ...] [--tables N]`` prints a Markdown table. Each table of n rows is drawn from a
law, a release is made of it on the road of ``lift release`` (default noise, confidence .95, a belief of 10 % may become
20 %), and judged by the law: the share of H(X) that it retains, and whether the law satisfies the notion.
"""

from __future__ import annotations

import argparse
import time
from typing import NamedTuple

import numpy as np

import liftlib as ll
from lifttables.confident.families import SUBSET_RESPONSE, designed
from lifttables.confident.subset_lattice import MAX_RESPONSE_SYMBOLS
from lifttables.encoding.columns import Counts, Symbols
from lifttables.releases.noising import with_noise
from lifttables.releases.pipeline import LEAST_RETAINED
from lifttables.releases.question import Question
from mixproof.numerics import KEEP_TOL, Matrix

NOTION = Question(0.1, 0.2).notion
ROWS = (300, 1000, 5000)
DEPENDENCE = 12.0  # of Dirichlet distributions P(x|s) around one P(x): I(S;X) is then about .15 nats


def conditional(seed: int, prior: list[float], n_public: int, dependence: float = DEPENDENCE) -> Matrix:
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
}


class Released(NamedTuple):
    """One release: what it retains under the law, whether it was published, and whether the promise is broken."""

    retained: float
    published: bool
    constant: bool
    broken: bool
    seconds: float


def release(p: Matrix, n: int, seed: int) -> Released:
    """Return the release of one table of n rows."""
    table = np.random.default_rng([seed, n]).multinomial(n, p.ravel() / p.sum()).reshape(p.shape)
    counts = Counts(table, Symbols.numbered("s", len(p)), Symbols.numbered("x", p.shape[1]))
    started = time.process_time()
    noisy = with_noise(counts, None, seed.to_bytes(32, "little"), MAX_RESPONSE_SYMBOLS).noisy
    assert noisy is not None
    made = designed(noisy.sample(0.95), NOTION, family=SUBSET_RESPONSE)
    seconds = time.process_time() - started
    joint = law_of(p)
    retained = abs(ll.evaluate(joint, made.channel).nmi)
    constant = made.channel.n_outputs == 1
    broken = NOTION.violation(joint, made.channel) > KEEP_TOL
    return Released(retained, made.nmi >= LEAST_RETAINED, constant, broken, seconds)


def law_of(p: Matrix) -> ll.Joint:
    """Return the law without secrets that never occur, about which nothing can be learnt."""
    occurs = p[p.sum(axis=1) > 0]
    return ll.Joint(occurs / occurs.sum())


def optimum(p: Matrix) -> float:
    """Return the share of H(X) that is retained by the optimum for who knows the law."""
    joint = law_of(p)
    return abs(ll.evaluate(joint, ll.mechanisms["optimal"](joint, NOTION)).nmi)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("laws", nargs="*", metavar="LAW", help=f"of {', '.join(LAWS)}; all by default")
    parser.add_argument("--tables", type=int, default=10, help="for each law and number of rows")
    asked = parser.parse_args()
    print("| law | rows | optimum | retained | published | constant | broken | CPU s a table |")
    print("|---|---|---|---|---|---|---|---|")
    for law in asked.laws or LAWS:
        joints = [LAWS[law](seed) for seed in range(asked.tables)]
        best = float(np.mean([optimum(p) for p in joints]))
        for n in ROWS:
            done = [release(p, n, seed) for seed, p in enumerate(joints)]
            # what is not published retains nothing
            retained = np.mean([one.retained * one.published for one in done])
            numbers = [sum(getattr(one, name) for one in done) for name in ("published", "constant", "broken")]
            seconds = np.mean([one.seconds for one in done])
            of = " | ".join(f"{number} of {len(done)}" for number in numbers)
            print(f"| {law} | {n:,} | {best:.2f} | {retained:.2f} | {of} | {seconds:.2f} |", flush=True)


if __name__ == "__main__":
    main()
