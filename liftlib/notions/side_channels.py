"""SRLIP: LIP against an adversary who already knows some attributes of X."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np

from liftlib.channel import Channel, or_identity
from liftlib.errors import InvalidParameter, shown
from liftlib.joint import Joint
from liftlib.notions.base import (
    AttributeWise,
    RequiredByPosterior,
    belief_within,
    cone_of,
    difference,
    equalities,
    log_of,
)
from mixproof.checks import checked
from mixproof.numerics import Matrix, Vector, check_count, check_scalar


@final
@dataclass(frozen=True)
class SRLIP(AttributeWise):
    r"""LIP against an adversary who knows any subset of X's attributes.

    :math:`e^{-\varepsilon} \le P(y|s,x^J) / P(y|x^J) \le e^\varepsilon` for each
    subset J of attributes, each of their values, and each s that is possible with them.

    Parameters
    ----------
    eps : float
        Budget in nats, in [0, inf].
    shape : sequence of int
        The attributes' sizes; their product is ``|X|``, and X runs through them in C
        order (the last one fastest).

    Notes
    -----
    S20 Definition 3, eq. (22). Side information that determines the secret, and secrets
    that it rules out, impose no constraint, because the release adds nothing to them.

    Examples
    --------
    >>> joint = Joint([[0.1, 0.2, 0.1, 0.1], [0.2, 0.1, 0.1, 0.1]])
    >>> round(SRLIP(1.0, (2, 2)).leakage(joint, Channel.constant(4)), 6)
    0.0
    """

    eps: float
    shape: tuple[int, ...]

    def __init__(self, eps: float, shape: Sequence[int]):
        object.__setattr__(self, "eps", check_scalar("eps", eps))
        given: object = shape
        in_order = isinstance(given, Sequence) or (
            isinstance(given, np.ndarray) and given.ndim == 1
        )
        sizes = tuple(shape) if in_order else ()
        are_integers = all(
            isinstance(n, int | np.integer) and not isinstance(n, bool) for n in sizes
        )
        if not sizes or not are_integers or min(sizes) < 1:
            raise InvalidParameter(
                f"shape is {shown(shape)}: give the size, 1 or more, of each attribute"
            )
        object.__setattr__(self, "shape", tuple(int(n) for n in sizes))

    @property
    def attributes(self) -> tuple[int, ...]:
        """The attributes' sizes."""
        return self.shape

    def belief(self, prior: float) -> tuple[float, float]:
        """Return the range of a set's posterior, even if the adversary knows
        attributes.
        """
        return belief_within(check_scalar("prior", prior, 0, 1), self.eps, self.eps)

    @checked
    def leakage(self, joint: Joint, channel: Channel | None = None) -> float:
        """Return the smallest eps satisfied against every side channel, in nats."""
        return max(
            float(need.needed.max())
            for need in self.required_by_posteriors(joint, channel)
        )

    @checked
    def required_by_posteriors(
        self, joint: Joint, channel: Channel | None = None
    ) -> tuple[RequiredByPosterior, ...]:
        """Return the budget required by each output, for each set J of known
        attributes.

        For each output, the secret, its lift P(s|x^J,y) / P(s|x^J) and the known values
        are the worst case.
        """
        channel = or_identity(joint, channel)
        channel.release(joint)  # raises if the channel does not fit
        self.check_fits(joint)
        # lifts do not depend on the scale of an output's column, which may underflow
        # for rare outputs and symbols
        most = channel.kernel.max(axis=tuple(range(channel.kernel.ndim - 1)))
        kernel = np.divide(
            channel.kernel, most, out=np.zeros_like(channel.kernel), where=most > 0
        )
        return tuple(self._need(joint, kernel, known) for known in self._known())

    def _need(
        self, joint: Joint, kernel: Matrix, known: tuple[int, ...]
    ) -> RequiredByPosterior:
        """Return the budget that each output requires if the attributes J are known.

        It is the largest ``|log l|`` of the lifts l = P(s|x^J,y) / P(s|x^J), over the
        secrets s and the values x^J.

        Parameters
        ----------
        joint : Joint
            P_SX.
        kernel : numpy.ndarray, shape (X, Y) or (S, X, Y)
            P(y|x) or P(y|s,x), each output's numbers on any scale.
        known : tuple of int
            J.
        """
        p_sxy = joint.p[:, :, None] * kernel
        cells = list(self._cells(known))
        lifts = np.stack(
            [_lifts_within(joint.p[:, xs], p_sxy[:, xs]) for _, xs in cells]
        )
        n_outputs = lifts.shape[2]
        needed = np.abs(log_of(lifts))
        worst = needed.reshape(-1, n_outputs).argmax(axis=0)
        cell, secret = np.unravel_index(worst, lifts.shape[:2])
        at = cell, secret, np.arange(n_outputs)
        values = [value for value, _ in cells]
        known_values = [tuple(zip(known, values[c], strict=True)) for c in cell]
        return RequiredByPosterior(
            "eps", needed[at], self.eps, secret, lifts[at], tuple(known_values)
        )

    def violation(self, joint: Joint, channel: Channel | None = None) -> float:
        """Return the violation of the budget, see :meth:`Notion.violation`."""
        leakage = self.leakage(joint, channel)
        return leakage - self.eps if np.isfinite(self.eps) else -np.inf

    @checked
    def halfspaces(self, joint: Joint) -> Matrix:
        """Return a pair of halfspaces for each side channel and possible secret."""
        if self.eps == 0:
            return self._halfspaces(joint, equalities)
        return self.numbered_halfspaces(joint)

    @checked
    def numbered_halfspaces(self, joint: Joint) -> Matrix:  # noqa: D102
        return self._halfspaces(joint, partial(cone_of, eps_l=self.eps, eps_u=self.eps))

    def _halfspaces(self, joint: Joint, cone: Callable[[Matrix], Matrix]) -> Matrix:
        rows = [np.empty((0, joint.n_public))]
        if np.isinf(self.eps):
            return rows[0]
        for cells in self._side_channels(joint):
            # a side channel that reveals x itself leaves nothing to leak
            if len(cells) == 1:
                continue
            part = joint.p[:, cells]
            mass = part.sum(axis=1)
            possible = mass > 0
            prior = mass[possible, None] / part.sum()
            # lift given x^J of each x in the cell: P(s|x) / P(s|x^J)
            rows_of_cell = cone(part[possible] / part.sum(axis=0) / prior)
            block = np.zeros((len(rows_of_cell), joint.n_public))
            block[:, cells] = rows_of_cell
            rows.append(block)
        return np.concatenate(rows)

    @checked
    def attribute_halfspaces(
        self, joint: Joint, j: int, eps: float
    ) -> tuple[Matrix, Vector]:
        """Return the halfspaces G of attribute j, and the marginal P(x^j).

        A posterior v = P(X^j=.|Y^j=y) satisfies LIP(eps) given any other attributes
        exactly when G v >= 0. There is one pair of halfspaces for each set J of other
        attributes, each of their values, and each possible secret.

        Notes
        -----
        S20 eqs. (25) and (26).
        """
        self.check_fits(joint)
        eps = check_scalar("eps", eps)
        j = check_count("j", j, 0)
        if j >= len(self.shape):
            raise InvalidParameter(
                f"j is {shown(j)}: give an attribute, 0 to {len(self.shape) - 1}"
            )
        # symbol x has the value value_of[x] of attribute j
        value_of = np.indices(self.shape)[j].ravel()
        has_value = np.eye(self.shape[j])[value_of]  # shape (X, X^j)
        marginal = joint.p_x @ has_value
        rows = []
        for cell in self._side_channels(joint, without=j):
            table = joint.p[:, cell] @ has_value[cell]  # P(s, x^J, x^j)
            mass = table.sum(axis=1)
            possible = mass > 0
            given = table[possible] / mass[possible, None] / marginal
            average = table.sum(axis=0) / mass.sum() / marginal
            # as in ``equalities``, the likeliest secret's follows from the others
            if eps == 0:
                given[mass[possible].argmax()] = average
            rows.append(difference(given, np.exp(-eps) * average))
            rows.append(difference(average, np.exp(-eps) * given))
        return np.concatenate(rows), marginal

    def _side_channels(
        self, joint: Joint, without: int | None = None
    ) -> list[list[int]]:
        """Return the symbols x compatible with each value x^J of each subset J, or only
        of those without an attribute.
        """
        self.check_fits(joint)
        subsets = [known for known in self._known() if without not in known]
        return [cell for known in subsets for _, cell in self._cells(known)]

    def _known(self) -> Iterator[tuple[int, ...]]:
        """Return an iterator over the subsets J of attributes, in order of size."""
        axes = range(len(self.shape))
        return itertools.chain.from_iterable(
            itertools.combinations(axes, size) for size in range(len(axes) + 1)
        )

    def _cells(
        self, known: tuple[int, ...]
    ) -> Iterator[tuple[tuple[int, ...], list[int]]]:
        """Yield each value of the known attributes with the symbols x compatible with
        it.
        """
        grid = np.arange(int(np.prod(self.shape))).reshape(self.shape)
        for value in itertools.product(*(range(self.shape[j]) for j in known)):
            index: list[int | slice] = [slice(None)] * len(self.shape)
            for j, v in zip(known, value, strict=True):
                index[j] = v
            yield value, np.atleast_1d(grid[tuple(index)]).ravel().tolist()


def _lifts_within(p_sx: Matrix, p_sxy: Matrix) -> Matrix:
    """Return P(s|x^J,y) / P(s|x^J), shape (S, Y), for one value of x^J.

    The arrays, shapes (S, C) and (S, C, Y), hold the C symbols with this value. Secrets
    and outputs that are impossible with it have lift 1: nothing is learnt.
    """
    p_s = p_sx.sum(axis=1)
    p_sy = p_sxy.sum(axis=1)
    p_y = p_sy.sum(axis=0)
    possible = p_s > 0
    seen = p_y > 0
    prior = p_s[possible] / p_sx.sum()
    posterior = p_sy[possible][:, seen] / p_y[seen]
    lifts = np.ones(p_sy.shape)
    lifts[np.ix_(possible, seen)] = posterior / prior[:, None]
    return lifts
