"""Implications between notions with their bounds, and counterexamples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import exp, expm1, inf, log, log1p, sqrt

import numpy as np

from liftbook.figures.relatives.notions import ALPHA, Case
from liftlib.channel import Channel
from liftlib.datasets import dirichlet_joint
from liftlib.joint import Joint
from mixproof.numerics import Matrix

Tight = Callable[[], Case]


@dataclass(frozen=True)
class Arrow:
    """An implication: a release that satisfies ``tail`` at eps satisfies ``head`` too.

    Attributes
    ----------
    tail, head : str
        Keys of ``RELATIVES``.
    says : str
        The bound as a formula of eps and p, the probability of the rarest secret.
    bound : callable
        Returns the bound, given eps and a case.
    source : str
        Where the theorem is stated, or a one-line proof.
    tight : callable
        Returns a case that attains the bound.
    when, condition : callable, str
        A predicate on cases, and the condition in words.
    """

    tail: str
    head: str
    says: str
    bound: Callable[[float, Case], float]
    source: str
    tight: Tight
    when: Callable[[Case], bool] = lambda _: True
    condition: str = ""


@dataclass(frozen=True)
class Gap:
    """A non-implication: ``case(t)`` satisfies ``tail`` and violates ``head``.

    ``t`` is in (0, 1/4], and ``says`` describes the counterexample. A bound that
    depends on the rarest secret's probability may still hold.
    """

    tail: str
    head: str
    says: str
    case: Callable[[float], Case]


def release_with_lifts(p_s: Iterable[float], lifts: Iterable[float]) -> Case:
    """Return a release whose output 0, of probability at most 1/50, has these lifts.

    Examples
    --------
    >>> case = release_with_lifts([0.5, 0.5], [1.5, 0.5])
    >>> case.channel.release(case.joint).s_given_x.round(3).tolist()
    [[0.75, 0.495], [0.25, 0.505]]
    """
    prior, first = np.array(list(p_s), dtype=float), np.array(list(lifts), dtype=float)
    prior /= prior.sum()
    share = min(0.02, 1 / float(first.max()))  # P(0|s) = share * lift is at most 1
    return Case(
        Joint(np.diag(prior)),
        Channel(np.column_stack([share * first, 1 - share * first])),
    )


def _rare_secret_raised() -> Case:
    return release_with_lifts([1e-6, 1 - 1e-6], [exp(1), 1.0])


def _secret_ruled_out(t: float) -> Case:
    return release_with_lifts([t, 1 - t], [0.0, 1 / (1 - t)])


def revealed(n: int = 3) -> Case:
    """Return a release that reveals a secret with n equally likely values."""
    return Case(Joint(np.eye(n) / n), Channel.identity(n))


def answered(eps: float = 1.0, p: float = 0.2) -> Case:
    """Return randomised response on a binary secret with probabilities p and 1 - p."""
    stay = exp(eps) / (1 + exp(eps))
    return Case(
        Joint(np.diag([p, 1 - p])), Channel([[stay, 1 - stay], [1 - stay, stay]])
    )


def _at_both_ends() -> Case:
    # lifts e and 1/e of one output: p e + (1 - p) / e = 1
    p = (1 - exp(-1)) / (exp(1) - exp(-1))
    return release_with_lifts([p, 1 - p], [exp(1), exp(-1)])


def _pair() -> Case:
    """Two independent binary records, the first the secret, both at eps = 1."""
    joint = np.array([[0.25, 0.25, 0, 0], [0, 0, 0.25, 0.25]])
    record_kernel = answered().channel.kernel
    return Case(Joint(joint), Channel(np.kron(record_kernel, record_kernel)), (2, 2))


def _rule_out(share: float = 1.0) -> Case:
    # lifts of output 0: the rare secret has least, the others as much as the mean
    # allows
    p, low = 0.2, 1 - 0.9 * share
    rest = (1 - p * low) / (1 - p)
    return release_with_lifts([p, 0.4, 0.4], [low, rest, rest])


def _single_out() -> Case:
    p, low = 0.2, 0.5
    # a lift of 3 for the rare secret
    return release_with_lifts([p, 0.4, 0.4], [(1 - (1 - p) * low) / p, low, low])


def _only_max(lift: float = 2.0) -> Case:
    # the largest lift at the rarest secret, none elsewhere: chance p, all else at one
    # level below 1
    p = 0.2
    return release_with_lifts([p, 1 - p], [lift, (1 - lift * p) / (1 - p)])


def _hidden(n: int = 3) -> Case:
    # X tells itself, S does not depend on it
    return Case(Joint(np.full((2, n), 1 / (2 * n))), Channel.identity(n))


def _min_lift_left(eps: float, case: Case) -> float:
    """Return the bound on -log of the min-lift implied by a max-lift bound, in nats."""
    least = exp(eps) - expm1(eps) / case.p_min
    return -log(least) if least > 1e-12 else inf


def _independent(case: Case) -> bool:
    """Return whether the secret is the first record and independent of the others."""
    if not case.records or case.joint.n_secret != case.records[0]:
        return False
    cells = case.joint.p.reshape(case.joint.n_secret, case.records[0], -1)
    off = sum(
        float(cells[s, a].sum())
        for s in range(len(cells))
        for a in range(len(cells))
        if s != a
    )
    marginal = cells.sum(axis=1)
    return off < 1e-12 and bool(
        np.allclose(
            marginal, np.outer(marginal.sum(axis=1), marginal.sum(axis=0)), atol=1e-12
        )
    )


ARROWS = (
    Arrow(
        "LDP-X",
        "DP",
        "ε",
        lambda e, _: e,
        "neighbours are a pair of data sets",
        answered,
    ),
    Arrow(
        "DP",
        "LDP-X",
        "nε, n records",
        lambda e, c: max(1, len(c.records)) * e,
        "one record after another (Dwork 2006)",
        _pair,
    ),
    Arrow(
        "DP",
        "LDP-S",
        "ε, for one record of independent ones",
        lambda e, _: e,
        "P(y|s) is the same mean of P(y|x) over the other records; Kifer 2014",
        _pair,
        _independent,
        "S is a record, records are independent",
    ),
    Arrow(
        "LDP-X", "LDP-S", "ε", lambda e, _: e, "P(y|s) is a mean of P(y|x)", answered
    ),
    Arrow(
        "LDP-S",
        "PML",
        "−log(p + (1−p) e^−ε)",
        lambda e, c: -log(c.p_min + (1 - c.p_min) * exp(-e)),
        "P(y) ≥ (p + (1−p)e^−ε) P(y|s); ε in S20 Lemma 1",
        answered,
    ),
    Arrow(
        "LDP-S",
        "PMC",
        "log(p + (1−p) e^ε)",
        lambda e, c: log(c.p_min + (1 - c.p_min) * exp(e)),
        "P(y) ≤ (p + (1−p)e^ε) P(y|s); ε in S20 Lemma 1",
        answered,
    ),
    Arrow(
        "LDP-S",
        "LIP",
        "ε",
        lambda e, _: e,
        "S20 Lemma 1",
        lambda: release_with_lifts([1e-6, 1 - 1e-6], [exp(1), 1.0]),
    ),
    Arrow("LIP", "LDP-S", "2ε", lambda e, _: 2 * e, "S20 Lemma 1", _at_both_ends),
    Arrow("LIP", "PML", "ε", lambda e, _: e, "a part of it", _only_max),
    Arrow("LIP", "PMC", "ε", lambda e, _: e, "a part of it", _rule_out),
    Arrow(
        "PML",
        "PMC",
        "−log(e^ε − (e^ε−1)/p) while e^ε < 1/(1−p)",
        _min_lift_left,
        "P_S-mean of lifts is 1; Grosse 2024",
        lambda: _rule_out(0.5),
    ),
    Arrow(
        "PMC",
        "PML",
        "log(e^−ε + (1−e^−ε)/p)",
        lambda e, c: log(exp(-e) - expm1(-e) / c.p_min),
        "P_S-mean of lifts is 1; Grosse 2024",
        _single_out,
    ),
    Arrow("PML", "MaxL", "ε", lambda e, _: e, "a mean of what is bounded", revealed),
    Arrow(
        "PML",
        "alpha",
        "(1−1/α) ε",
        lambda e, _: (1 - 1 / ALPHA) * e,
        "Σ P l^α ≤ Λ^(α−1) Σ P l",
        revealed,
    ),
    Arrow(
        "alpha",
        "PML",
        "ε + (1/α) log(1/p)",
        lambda e, c: e + log(1 / c.p_min) / ALPHA,
        "P(s) l(s)^α is one of the summands",
        revealed,
    ),
    Arrow(
        "alpha",
        "chi2",
        "e^(2ε) − 1, α = 2",
        lambda e, _: expm1(2 * e),
        "Σ P (l−1)² = Σ P l² − 1",
        _only_max,
    ),
    Arrow(
        "chi2",
        "alpha",
        "½ log(1 + δ), α = 2",
        lambda d, _: log1p(d) / 2,
        "Σ P (l−1)² = Σ P l² − 1",
        _only_max,
    ),
    Arrow(
        "chi2",
        "l1",
        "√δ",
        lambda d, _: sqrt(d),
        "Jensen",
        lambda: release_with_lifts([0.5, 0.5], [1.5, 0.5]),
    ),
    Arrow(
        "l1",
        "PML",
        "log(1 + δ/(2p))",
        lambda d, c: log1p(d / (2 * c.p_min)),
        "half the ℓ1-lift lies above 1, and P(s)(l−1) is a part of it",
        _only_max,
    ),
    Arrow(
        "alpha",
        "Sibson",
        "α/(α−1) ε",
        lambda e, _: ALPHA / (ALPHA - 1) * e,
        "a mean of what is bounded",
        revealed,
    ),
    Arrow(
        "MaxL", "Sibson", "ε", lambda e, _: e, "it grows with α (Verdú 2015)", revealed
    ),
    Arrow("Sibson", "I", "ε", lambda e, _: e, "it grows with α (Verdú 2015)", revealed),
)
"""The implications. Those of ALIP, LIP with two budgets, are in the watchdog's first
theorem.
"""


def _rare_output(t: float) -> Case:
    """Return a release that reveals a binary secret with probability t."""
    kernel = np.array([[t, 0, 1 - t], [0, t, 1 - t]])
    return Case(Joint(np.diag([0.5, 0.5])), Channel(kernel))


def _rare_secret(t: float) -> Case:
    """Return a release that reveals a secret of probability t²."""
    return Case(Joint(np.diag([t**2, 1 - t**2])), Channel.identity(2))


def _many_secrets(t: float) -> Case:
    """Return a release of 4/t equally likely secrets, revealed with
    probability √t/2.
    """
    n, chance = round(4 / t), t**0.5 / 2
    return Case(
        Joint(np.eye(n) / n),
        Channel(np.hstack([chance * np.eye(n), np.full((n, 1), 1 - chance)])),
    )


def _one_out(t: float) -> Case:  # noqa: ARG001 - it does not depend on it
    return Case(Joint(np.eye(3) / 3), Channel((1 - np.eye(3)) / 2))


def _copies(t: float) -> Case:
    """Return 1/t (2 to 6) randomised copies of a binary secret, each at eps = 1/2."""
    n = max(2, min(6, round(1 / t)))
    record_kernel = answered(0.5).channel.kernel
    # differential privacy counts a data set that never occurs, too
    joint = np.full((2, 2**n), 1e-15)
    joint[0, 0] = joint[1, -1] = 0.5
    joint /= joint.sum()
    kernel: Matrix = record_kernel
    for _ in range(n - 1):
        kernel = np.asarray(np.kron(kernel, record_kernel))
    return Case(Joint(joint), Channel(kernel), (2,) * n)


GAPS = (
    Gap(
        "PML",
        "PMC",
        "three equal secrets, of which the output rules one out: no gain exceeds 3/2",
        _one_out,
    ),
    Gap(
        "LDP-S",
        "LDP-X",
        "S is independent of X, and X is published",
        lambda _: _hidden(),
    ),
    Gap(
        "MaxL",
        "PML",
        "two equal secrets, revealed with a chance t, and else nothing",
        _rare_output,
    ),
    Gap("I", "PMC", "the same", _rare_output),
    Gap("Sibson", "MaxL", "a secret of probability t², revealed", _rare_secret),
    Gap(
        "DP",
        "LDP-S",
        "n copies of one secret, as n records, each answered at ε = 1/2",
        _copies,
    ),
    Gap(
        "chi2",
        "PMC",
        "a secret of probability t, ruled out",
        lambda t: release_with_lifts([t, 1 - t], [0.0, 1 / (1 - t)]),
    ),
    Gap(
        "I",
        "Sibson",
        "4/t equal secrets, revealed with a chance √t/2, and else nothing",
        _many_secrets,
    ),
)
"""The non-implications, with counterexamples."""


def random_cases(n: int, rng: np.random.Generator) -> list[Case]:
    """Return random releases of two binary records.

    In a third of them the secret is the first of two independent records; a fifth have
    a zero in the channel.
    """
    cases = []
    for number in range(n):
        n_secret = int(rng.integers(2, 5))
        joint = dirichlet_joint(n_secret, 4, float(rng.choice([0.3, 1.0, 5.0])), rng)
        if number % 3 == 0:
            a, b = rng.dirichlet([2, 2], size=2)
            joint = Joint(np.array([np.r_[a[0] * b, 0, 0], np.r_[0, 0, a[1] * b]]))
        n_out = int(rng.integers(2, 5))
        rows = rng.dirichlet(np.full(n_out, float(rng.choice([0.2, 1.0, 5.0]))), size=4)
        share = rng.uniform(0, 1)
        kernel = share * rows + (1 - share) * rows.mean(axis=0)
        if number % 5 == 0:
            kernel[0, 0] = 0
            kernel /= kernel.sum(axis=1, keepdims=True)
        cases.append(Case(joint, Channel(kernel), (2, 2)))
    return cases


def extremal_cases() -> list[Case]:
    """Return the cases that attain an arrow's bound, and counterexamples."""
    return [arrow.tight() for arrow in ARROWS] + [
        gap.case(t) for gap in GAPS for t in (0.25, 0.05)
    ]


BOUNDS: Mapping[tuple[str, str], Arrow] = {
    (arrow.tail, arrow.head): arrow for arrow in ARROWS
}
