"""The certified optimum: its tree against the enumeration of all vertices, and how far
it gets where that cannot.
"""

from __future__ import annotations

import resource
import time
import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd

import liftlib as ll
from liftlib.errors import LiftWarning
from liftlib.proofs import check_proof
from liftlib.response.posteriors import ResponseCertificate, cone_for
from liftlib.response.proven import proven_response
from mixproof.branch_and_bound import SLOTS, Tree
from mixproof.limits import Limits
from mixproof.numerics import HALFSPACE_SLACK
from mixproof.problem import Pass
from mixproof.search import BRANCHING_FRACTION, Search

SMALL_CASES = [(5, 17, 2.0), (5, 17, 1.0), (5, 17, 0.25), (10, 20, 2.0), (5, 50, 1.0)]
"""Secrets, symbols and budgets whose vertices can be listed."""


SAME_PRICE = [
    (5, 17, 0.5, 0.127), (10, 50, 1.0, 0.197), (15, 50, 1.0, 0.190), (20, 60, 2.0, 0.293), (15, 200, 1.0, 0.193),  # noqa: E501
    (20, 500, 2.0, 0.293),
]  # fmt: skip
"""Secrets, symbols and budgets at which LDP is compared with LIP, and budgets of the
l1-lift of LIP's utility.
"""

SLOT_CASES, MOST_PROGRAMS = [(10, 50, 0.5), (15, 200, 0.5), (20, 500, 1.0)], 4000
"""Trees whose programs are timed, and how many of each."""

MOST_PAIRS, MOST_SETS = 100, 10
"""Symbols up to which LDP, and secrets up to which the l1-lift, are searched by all
their halfspaces too.
"""


class Large(NamedTuple):
    """A joint distribution whose vertices cannot be listed, and in how many seconds of
    one core a gap is wanted.
    """

    n_secret: int
    n_public: int
    eps: float
    gap: float
    wanted: float
    skewed: bool = False

    @property
    def name(self) -> str:
        return f"{self.n_secret}x{self.n_public}" + (", skewed" if self.skewed else "")


LARGE_CASES = [
    Large(10, 50, 1.0, 1e-4, 1), Large(15, 200, 2.0, 1e-3, 10), Large(15, 200, 1.0, 1e-3, 10),  # noqa: E501
    Large(15, 200, 0.5, 1e-2, 60), Large(20, 500, 2.0, 1e-2, 15), Large(20, 500, 1.0, 2e-2, 30),  # noqa: E501
    Large(15, 200, 1.0, 2e-2, 120, skewed=True), Large(30, 1000, 2.0, 2e-2, 120),
]  # fmt: skip

GROWTH_SIZES = [
    (5, 50), (5, 100), (5, 200), (5, 500), (5, 1000),
    (10, 50), (10, 100), (10, 200), (10, 500), (10, 1000),
    (20, 50), (20, 100), (20, 200), (20, 500), (30, 1000),
]  # fmt: skip
"""Secrets and symbols of what is solved to 2 % at eps 2, to see how it grows."""

TIME_FACTOR = 4.0
"""Factor on the intended seconds after which the search for an optimum ends with its
incumbent.
"""


def _joint(n_secret: int, n_public: int, skewed: bool = False) -> ll.Joint:
    """Return the joint distribution of that size: uniform entries, or skewed ones,
    Gamma(1/2).
    """
    rng = np.random.default_rng(0)
    if skewed:
        return ll.Joint.from_counts(rng.gamma(0.5, size=(n_secret, n_public)))
    return ll.datasets.uniform_joint(n_secret, n_public, rng)


def _made(
    shape: tuple[int, int], eps: float, *, skewed: bool = False, **how: object
) -> tuple[ll.Joint, ll.Notion, ll.Channel, float]:
    """Return a joint distribution, the notion, the optimal response, and its seconds of
    one core.
    """
    joint, notion = _joint(*shape, skewed), ll.ALIP.split(eps, 0.5)
    started = time.process_time()
    channel = ll.mechanisms.optimal(joint, notion, **how)  # type: ignore[arg-type]
    return joint, notion, channel, time.process_time() - started


def optimum(quick: bool) -> pd.DataFrame:
    """The optimum to a gap of 10^-6 by the tree and by all vertices; ALIP,
    lambda 1/2.
    """
    routes = {"tree": "tree", "all vertices": "qhull"}
    rows = []
    for n_secret, n_public, eps in [(3, 8, 1.0)] if quick else SMALL_CASES:
        row: dict[str, object] = {"case": f"{n_secret}x{n_public}", "eps": eps}
        values = []
        for name, method in routes.items():
            _, _, channel, row[name] = _made((n_secret, n_public), eps, method=method)
            values.append(channel.certificate.value)
        assert max(values) - min(values) <= 2e-6 * max(values), values
        rows.append(row)
    table = pd.DataFrame(rows)
    table["all vertices / tree"] = table["all vertices"] / table["tree"]
    return table


def same_price(quick: bool) -> pd.DataFrame:
    """Seconds of one core to a proven 1 %: LIP, LDP, the l1-lift of LIP's utility and
    at eps/8; by all halfspaces.
    """
    rows = []
    for n_secret, n_public, eps, eps_l1 in [(4, 8, 1.0, 0.2)] if quick else SAME_PRICE:
        joint = _joint(n_secret, n_public)
        row: dict[str, object] = {"case": f"{n_secret}x{n_public}", "eps": eps}
        notions = {
            "LIP": ll.LIP(eps / 2), "LDP": ll.LDP(eps),
            "l1": ll.L1Lift(np.inf, eps_l1), "l1, eps/8": ll.L1Lift(np.inf, eps / 8),
        }  # fmt: skip
        for name, notion in notions.items():
            cone = cone_for(joint, notion)
            routes = {name: cone}
            if cone.extension is not None and (
                n_secret <= MOST_SETS or (name == "LDP" and n_public < MOST_PAIRS)
            ):
                routes[f"{name}, listed"] = cone._replace(
                    halfspaces=cone.listed(), extension=None
                )
            for route, given in routes.items():
                started = time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", LiftWarning)
                    channel = proven_response(given, Limits(gap=1e-2, seconds=60.0))
                certificate = channel.certified(ResponseCertificate)
                row |= {
                    route: time.process_time() - started,
                    f"gap, {route}": certificate.gap / certificate.value,
                }
            row[f"NMI, {name}"] = certificate.value / ll.measures.entropy(joint.p_x)
        rows.append(row)
    table = pd.DataFrame(rows)
    for name in ("LDP", "l1", "l1, eps/8"):
        table[f"{name}, listed / {name}"] = table[f"{name}, listed"] / table[name]
        table[f"{name} / LIP"] = table[name] / table["LIP"]
    return table


def proofs(quick: bool) -> pd.DataFrame:
    """Utility, bound, seconds, and size and seconds of the proof where vertices cannot
    be listed; ALIP, lambda 1/2.
    """
    rows = []
    for case in [Large(4, 20, 1.0, 1e-2, 1)] if quick else LARGE_CASES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LiftWarning)
            joint, notion, channel, seconds = _made(
                (case.n_secret, case.n_public), case.eps, skewed=case.skewed, method="tree", gap=case.gap,  # noqa: E501
                seconds=TIME_FACTOR * case.wanted,
            )  # fmt: skip
        checked, total = (
            check_proof(joint, notion, channel),
            ll.measures.entropy(joint.p_x),
        )
        gap = checked.gap / checked.value
        rows.append(
            {
                "case": case.name,
                "eps": case.eps,
                "NMI": checked.value / total,
                "at most": checked.upper / total,
                "gap": gap,
                "gap wanted": case.gap,
                "seconds": seconds,
                "seconds wanted": case.wanted,
                "seconds / wanted": (
                    seconds / case.wanted if gap <= case.gap else np.inf
                ),
                "boxes": checked.boxes,
                "proof MB": channel.certificate.proof.size / 1e6,
                "seconds to check": checked.seconds,
                # of all cases so far
                "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )
    return pd.DataFrame(rows)


def slots(quick: bool) -> pd.DataFrame:
    """Microseconds of one core for each linear program of a tree, by how many are
    solved side by side; LIP.
    """
    rows = []
    for n_secret, n_public, eps in [(3, 8, 1.0)] if quick else SLOT_CASES:
        joint = _joint(n_secret, n_public)
        search = Search(ll.LIP(eps).halfspaces(joint), joint.p_x, HALFSPACE_SLACK)
        search.begin(np.empty((0, n_public)))
        search.multi_start()
        delta = search.wanted(1e-2)
        row: dict[str, object] = {"case": f"{n_secret}x{n_public}", "eps": eps}
        for count in (1, 16, 128, SLOTS):
            work = Pass.start(
                search.dual,
                -delta,
                delta / BRANCHING_FRACTION,
                len(search.problem.rows),
            )
            tree = Tree(search.problem, work, search.caps, count)
            started = time.process_time()
            for _ in tree.explore(MOST_PROGRAMS):
                pass
            row[f"{count} at once"] = 1e6 * (time.process_time() - started) / work.nodes
        rows.append(row | {"programs": work.nodes})
    return pd.DataFrame(rows)


def growth(quick: bool) -> pd.DataFrame:
    """Seconds of one core to a proven gap of 2 % as symbols and secrets grow; ALIP, eps
    2, lambda 1/2.
    """
    rows = []
    for n_secret, n_public in [(3, 20)] if quick else GROWTH_SIZES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LiftWarning)
            _, _, channel, seconds = _made(
                (n_secret, n_public), 2.0, method="tree", gap=2e-2, seconds=300.0
            )
        certificate = channel.certified(ResponseCertificate)
        rows.append(
            {
                "|S|": n_secret,
                "|X|": n_public,
                "gap": certificate.gap / certificate.value,
                "seconds": seconds,
                "programmes": certificate.programmes,
                "boxes": certificate.proof.boxes if certificate.proof else 0,
            }
        )
    return pd.DataFrame(rows)
