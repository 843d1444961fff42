"""Upper bounds on the utility of SRLIP mechanisms."""

from __future__ import annotations

import itertools

import numpy as np

from liftlib.joint import Joint
from liftlib.measures.information import entropy
from liftlib.notions import LIP, AttributeWise
from liftlib.response.aorr import aorr
from liftlib.response.posteriors import ResponseCertificate, cone_for
from mixproof.checks import checked


@checked
def srlip_upper_bounds(
    joint: Joint, notion: AttributeWise
) -> dict[tuple[int, ...], float]:
    """Return upper bounds on I(X; Y) under SRLIP, one for each proper subset J.

    Parameters
    ----------
    joint : Joint
        P_SX; X runs through the attributes' combinations in C order.

    Returns
    -------
    dict
        Maps J, a tuple of attribute indices, to a bound in nats. The bound for the
        empty J is the LIP optimum.

    Raises
    ------
    InvalidParameter
        If the notion's shape does not match ``|X|``.

    Notes
    -----
    I(X; Y) is I(X^J; Y) plus the mean over x^J of I(X; Y | X^J = x^J). The first is at
    most H(X^J). Because SRLIP is LIP given each x^J, each term of the second is at most
    the LIP optimum of the joint distribution given x^J, which has few symbols.

    Examples
    --------
    >>> from liftlib.notions import SRLIP
    >>> joint = Joint.from_counts([[4, 2, 3, 3], [2, 4, 3, 3]])
    >>> found = srlip_upper_bounds(joint, SRLIP(0.1, (2, 2)))
    >>> {known: round(bound, 3) for known, bound in found.items()}
    {(): 1.06, (0,): 1.06, (1,): 0.824}
    """
    notion.check_fits(joint)
    sizes = notion.attributes
    p = joint.p.reshape(joint.n_secret, *sizes)
    bounds: dict[tuple[int, ...], float] = {}
    for size in range(len(sizes)):
        for known in itertools.combinations(range(len(sizes)), size):
            # axes: secret, the values of the known attributes, the rest
            cells = np.moveaxis(p, [k + 1 for k in known], list(range(1, size + 1)))
            cells = cells.reshape(
                joint.n_secret, int(np.prod([sizes[k] for k in known])), -1
            )
            mass = cells.sum(axis=(0, 2))
            bound = entropy(mass)
            for value in np.flatnonzero(mass > 0):
                given = Joint.from_counts(cells[:, value], drop_empty=True)
                best = aorr(cone_for(given, LIP(notion.eps)))
                lip = best.certified(ResponseCertificate)
                bound += mass[value] * min(entropy(given.p_x), lip.upper)
            bounds[known] = float(bound)
    return bounds
