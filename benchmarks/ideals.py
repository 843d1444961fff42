"""What a good numpy programmer would write for one notion and nothing else: no checks, no zero cells, no other notion.

They are what liftlib's heuristics are measured against. Joint distributions have no empty cell.
"""

from __future__ import annotations

import numpy as np


def merge(p: np.ndarray, eps: float) -> list[list[int]]:
    """Return the subsets of E23 Algorithm 1 for ALIP(eps / 2, eps / 2), what is left kept together in memory."""
    p_s, bound = p.sum(axis=1), np.exp(eps / 2)
    table, size = p / p_s[:, None], p.sum(axis=0)
    least, most = (table / size).min(axis=0), (table / size).max(axis=0)
    risky = np.flatnonzero((least < 1 / bound) | (most > bound))
    table, size, alone = table[:, risky].copy(), size[risky], (most + 1 / least)[risky]
    ids, n, groups = risky.copy(), risky.size, []

    def take(at: int) -> tuple[np.ndarray, float, int]:
        nonlocal n
        n -= 1
        taken = table[:, at].copy(), float(size[at]), int(ids[at])
        table[:, at], size[at], alone[at], ids[at] = (
            table[:, n],
            size[n],
            alone[n],
            ids[n],
        )  # the last one fills the gap
        return taken

    def nearest(shares: np.ndarray, chances: np.ndarray) -> int:
        union, total = shares + mass[:, None], chances + probability
        return int((union.max(axis=0) / total + total / union.min(axis=0)).argmin())

    while n:
        mass, probability, first = take(int(alone[:n].argmax()))
        groups.append([first])
        while n and (mass.min() * bound < probability or mass.max() > bound * probability):
            column, p_x, x = take(nearest(table[:, :n], size[:n]))
            mass, probability = mass + column, probability + p_x
            groups[-1].append(x)
    while len(groups) > 1 and (mass.min() * bound < probability or mass.max() > bound * probability):
        shares = np.stack([(p[:, group] / p_s[:, None]).sum(axis=1) for group in groups[:-1]], axis=1)
        chances = np.array([p[:, group].sum() for group in groups[:-1]])
        at = nearest(shares, chances)
        mass, probability = mass + shares[:, at], probability + chances[at]
        groups[-1] += groups.pop(at)
    return groups


def _summed(extremes: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> float:
    return float(sum(nmi.mean() + np.log(most).mean() - np.log(least).mean() for nmi, least, most in extremes))


def _bounded(eps: float, lam: float | None, least: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Return which columns break LDP(eps), or ALIP(lam eps, (1 - lam) eps)."""
    if lam is None:
        return most > np.exp(eps) * least
    return (least < np.exp(-lam * eps)) | (most > np.exp((1 - lam) * eps))


def _entropy(q: np.ndarray) -> np.ndarray:
    return -(q * np.log(np.where(q > 0, q, 1))).sum(axis=-1)


def figure_2(p: np.ndarray, epsilons: list[float], lambdas: list[float | None]) -> float:
    """Return the sum of the watchdog's mean NMI and leakages over all curves of E23 Fig. 2, batched over joints."""
    table = np.ascontiguousarray(p.transpose(1, 0, 2))
    prior, size = table.sum(axis=2), table.sum(axis=0)
    lifts = table / size / prior[:, :, None]
    least, most, entropy = lifts.min(axis=0), lifts.max(axis=0), _entropy(size)
    measures = []
    for lam in lambdas:
        for eps in epsilons:
            risky = _bounded(eps, lam, least, most)
            mass, probability = np.einsum("snx,nx->sn", table, risky), np.einsum("nx,nx->n", size, risky)
            lift = mass / np.where(probability > 0, probability, 1) / prior
            lift[:, probability == 0] = 1
            low = np.minimum(np.where(risky, 1, least).min(axis=1), lift.min(axis=0))
            high = np.maximum(np.where(risky, 1, most).max(axis=1), lift.max(axis=0))
            unmerged = np.where(risky, 0, size)
            nmi = (_entropy(unmerged) + _entropy(probability[:, None])) / entropy
            measures.append((nmi, low, np.maximum(high, 1)))
    return _summed(measures)


def figure_6(p: np.ndarray, epsilons: list[float], lambdas: list[float | None]) -> float:
    """Return the sum of subset merging's mean NMI and leakages over all curves of E23 Fig. 6, joints in lockstep."""
    table = np.ascontiguousarray(p.transpose(1, 0, 2))
    prior, size = table.sum(axis=2), table.sum(axis=0)
    share = table / prior[:, :, None]
    lifts = share / size
    least, most, entropy = lifts.min(axis=0), lifts.max(axis=0), _entropy(size)
    measures = []
    for lam in lambdas:
        for eps in epsilons:
            mass, chance = _lockstep(share, size, least, most, eps, lam)
            some = chance > 0
            low = np.where(some, mass.min(axis=0) / np.where(some, chance, 1), 1).min(axis=1)
            high = np.where(some, mass.max(axis=0) / np.where(some, chance, 1), 1).max(axis=1)
            measures.append((_entropy(chance) / entropy, low, np.maximum(high, 1)))
    return _summed(measures)


def _lockstep(share, size, least, most, eps, lam) -> tuple[np.ndarray, np.ndarray]:
    """Return the shares, (S, N, X), and chances, (N, X), of the groups, each at the symbol that it started from."""

    def omega(low, high):
        return high / low if lam is None else high + 1 / low

    def nearest(rows, allowed, own, chances, g):
        union, total = own[:, rows] + mass[:, rows, g][:, :, None], chances[rows] + chance[rows, g][:, None]
        risk = omega(union.min(axis=0) / total, union.max(axis=0) / total)
        return np.where(allowed[rows], risk, np.inf).argmin(axis=1)

    def broken(rows, g):
        lift = mass[:, rows, g] / chance[rows, g]
        return _bounded(eps, lam, lift.min(axis=0), lift.max(axis=0))

    free, every = _bounded(eps, lam, least, most), np.arange(len(size))
    mass, chance, alone = np.where(free, 0, share), np.where(free, 0, size), omega(least, most)
    groups, last, growing = np.zeros_like(free), np.full(len(size), -1), np.zeros(len(size), dtype=bool)
    while free.any():
        rows = every[free.any(axis=1) & ~growing]
        at = np.where(free[rows], alone[rows], -np.inf).argmax(axis=1)
        mass[:, rows, at], chance[rows, at] = share[:, rows, at], size[rows, at]
        free[rows, at], groups[rows, at], last[rows], growing[rows] = False, True, at, True
        rows = every[free.any(axis=1) & growing]
        at, g = nearest(rows, free, share, size, last[rows]), last[rows]
        mass[:, rows, g] += share[:, rows, at]
        chance[rows, g] += size[rows, at]
        free[rows, at] = False
        growing[rows] = broken(rows, g)
    groups[every[last >= 0], last[last >= 0]] = False
    rows = every[groups.any(axis=1)]
    while (rows := rows[broken(rows, last[rows]) & groups[rows].any(axis=1)]).size:
        g = last[rows]
        at = nearest(rows, groups, mass, chance, g)
        mass[:, rows, g] += mass[:, rows, at]
        chance[rows, g] += chance[rows, at]
        mass[:, rows, at], chance[rows, at], groups[rows, at] = 0, 0, False
    return mass, chance


def evaluate(p: np.ndarray, kernel: np.ndarray) -> float:
    """Return I(X; Y) and the extreme log-lifts of a release, added up."""
    p_x, p_s, p_sy = p.sum(axis=0), p.sum(axis=1), p @ kernel
    p_y = p_sy.sum(axis=0)
    information = float(p_x @ (kernel * np.log(np.where(kernel > 0, kernel, 1) / p_y)).sum(axis=1))
    lift = p_sy / p_y / p_s[:, None]
    return information + float(np.log(lift.max()) - np.log(lift.min()))


def randomised_response(p: np.ndarray, eps: float) -> float:
    """Return the chance of the true symbol in the randomised response that LIP(eps) buys, its kernel written out."""
    p_x, given, bound = p.sum(axis=0), p / p.sum(axis=1, keepdims=True), np.exp(eps)
    violation = max((given - bound * p_x).max(), (p_x - bound * given).max())
    odds = 1 + (bound - 1) / violation  # S20 eq. (29), solved
    kernel = np.full((len(p_x), len(p_x)), 1 / (len(p_x) - 1 + odds))
    np.fill_diagonal(kernel, odds / (len(p_x) - 1 + odds))
    return float(kernel[0, 0])
