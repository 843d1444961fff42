"""A privacy mechanism as a channel: P(y|x), or P(y|s,x) with access to the secret."""

from __future__ import annotations

import math
import operator
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import compress, product
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftlib.errors import InvalidDistribution, InvalidParameter, shown
from liftlib.joint import (
    Joint,
    Labels,
    _labels,
    framed,
    listed,
    plots,
    scaled,
    sum_tolerance,
    unframed,
)
from mixproof.checks import checked
from mixproof.numerics import (
    SUM_TOL,
    Matrix,
    Vector,
    as_matrix,
    check_count,
    check_nonnegative,
    generator,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Partition = tuple[tuple[int, ...], ...]
MAX_KERNEL_ENTRIES = 2**29  # 4 GB


@runtime_checkable
class Uniform(Protocol):
    """A source of uniform random numbers, such as a numpy generator."""

    def random(self, size: int, /) -> Vector:
        """Return ``size`` numbers in [0, 1)."""
        ...


def gap_between(value: float, upper: float) -> float:
    """Return ``upper - value``, 0 if rounding makes it negative; a NaN stays one."""
    gap = upper - value
    return 0.0 if gap < 0 else gap


@dataclass(frozen=True, eq=False)
class Certificate:
    """How a channel was obtained and how close to optimal; mechanisms add fields.

    Attributes
    ----------
    route : str
        How the channel was found.
    value : float
        I(X; Y) of the channel, nats.
    upper : float
        An upper bound on I(X; Y), nats, for every mechanism of the same kind that
        satisfies the notion; infinite if none is known.
    """

    route: str
    value: float
    upper: float = np.inf

    @property
    def gap(self) -> float:
        """The optimality gap ``upper - value``, nats."""
        return gap_between(self.value, self.upper)

    def __repr__(self) -> str:  # subclasses are decorated with repr=False
        return (
            f"{type(self).__name__}({self.route!r}, value={self.value:.6g}, "
            f"gap={self.gap:.2g})"
        )


C = TypeVar("C", bound=Certificate)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Channel:
    """A randomised map from X, or from (S, X), to an output Y; immutable.

    Parameters
    ----------
    kernel : array_like or data frame, shape (X, Y) or (S, X, Y)
        ``kernel[x, y]`` = P(y|x), or ``kernel[s, x, y]`` = P(y|s,x); sums over y are 1.
    outputs : sequence, optional
        Labels of the outputs; by default a data frame's columns, or 0, 1, 2, ...
    partition : sequence of sequences of int, optional
        For a channel that merges symbols: the symbols merged into each output, in
        output order.
    certificate : Certificate, optional
        How the channel was obtained.
    inputs : sequence, optional
        Labels of the symbols; by default a data frame's index. Without any, symbols are
        known by their place.

    Raises
    ------
    InvalidDistribution
        If an entry is negative or not finite, a row does not sum to 1, or the labels or
        the partition do not fit.

    Notes
    -----
    A channel that knows the labels of its symbols is applied to a joint distribution,
    or composed with another channel, by label: see :meth:`aligned`. ``design`` gives
    each channel the labels of its joint distribution.

    Examples
    --------
    >>> Channel.merge([(0, 2), (1,)], 3).kernel.tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """

    certificate: Certificate | None
    output_of: NDArray[np.int64] | None
    _shape: tuple[int, ...]
    _labelled: bool
    """Whether the labels of the inputs, and of the secrets that the channel sees, are
    known.
    """

    def __init__(
        self,
        kernel: ArrayLike,
        outputs: Sequence[Hashable] | None = None,
        partition: Iterable[Iterable[int]] | None = None,
        certificate: Certificate | None = None,
        inputs: Sequence[Hashable] | None = None,
    ):
        table, rows, columns = unframed(kernel)
        outputs = columns if outputs is None else outputs
        inputs = rows if inputs is None else inputs
        array = as_matrix("kernel", table, ndim=(2, 3))
        check_nonnegative("kernel", array)
        array = scaled(array, sum_tolerance(table), _not_a_kernel, axis=-1)
        array.flags.writeable = False
        labels = _labels("outputs", outputs, array.shape[-1])
        merged = None if partition is None else _partition(partition, array.shape[-2])
        if merged is not None and len(merged) != array.shape[-1]:
            raise InvalidDistribution(
                f"partition has {len(merged)} subsets for {array.shape[-1]} outputs: "
                "give one each"
            )
        for y, subset in enumerate(merged or ()):
            if not (array[..., subset, y] == 1).all():
                raise InvalidDistribution(
                    f"partition sends {list(subset)} to output {y}, kernel does not: "
                    "drop one"
                )
        names = None if inputs is None else _labels("inputs", inputs, array.shape[-2])
        # with cached properties that are already known
        vars(self).update(
            kernel=array,
            outputs=labels,
            partition=merged,
            certificate=certificate,
            output_of=None,
            _shape=array.shape,
            _names=names,
            _labelled=names is not None,
        )

    @checked
    def certified(self, kind: type[C]) -> C:
        """Return the certificate, checked to be of the given class.

        Raises
        ------
        InvalidParameter
            If the channel has no certificate of that class.
        """
        if not isinstance(self.certificate, kind):
            raise InvalidParameter(
                f"{self} has no {kind.__name__}: it comes from another mechanism"
            )
        return self.certificate

    def with_certificate(self, certificate: Certificate) -> Channel:
        """Return a copy of the channel with another certificate."""
        return self._copy(certificate=certificate)

    @checked
    def labelled(self, joint: Joint) -> Channel:
        """Return a copy whose inputs have the labels of a joint distribution, as
        ``design`` does.

        A channel that has labels already is aligned first: see :meth:`aligned`.
        """
        channel = self.aligned(joint)._copy(inputs=joint.public, _labelled=True)
        if self.sees_secret:
            vars(channel)["secrets"] = joint.secret
        return channel

    @checked
    def aligned(self, joint: Joint) -> Channel:
        """Return the channel with its inputs, and its secrets, in the order of a joint
        distribution.

        Inputs are matched by label. If the channel or the joint distribution has no
        labels, which is to say other than 0, 1, 2, ..., they are matched by place.

        Raises
        ------
        InvalidParameter
            If the channel does not fit, or the joint distribution has labels that the
            channel does not know.

        Examples
        --------
        >>> channel = Channel.merge([(0, 1), (2,)], 3, "abc")
        >>> channel.aligned(Joint([[0.2, 0.3, 0.5]], public="cab")).partition
        ((1, 2), (0,))
        """
        self._check_fits(joint)
        if not self._labelled:
            return self
        known: tuple[Joint, Channel] | None = vars(self).get("_aligned")
        if known is not None and known[0] is joint:
            return known[1]
        rows = _order("symbols", self.inputs, joint.public)
        secrets = None
        if self.sees_secret:
            secrets = _order("secrets", self.secrets, joint.secret)
        if rows is None and secrets is None:
            return self
        if rows is None:
            rows = np.arange(self.n_public)
        channel = self._reordered(rows, secrets)
        vars(self)["_aligned"] = joint, channel
        return channel

    def _reordered(
        self, rows: NDArray[np.int64], secrets: NDArray[np.int64] | None
    ) -> Channel:
        """Return the channel of the inputs at these places, and of the secrets."""
        inputs = tuple(self.inputs[x] for x in rows)
        certificate = self.certificate
        if certificate is not None:
            # what else a mechanism's certificate holds may be indexed by symbol
            certificate = Certificate(
                certificate.route, certificate.value, certificate.upper
            )
        if self.output_of is not None:
            channel = Channel.deterministic(self.output_of[rows])
            vars(channel).update(
                inputs=inputs,
                outputs=self.outputs,
                certificate=certificate,
                _labelled=True,
            )
            return channel
        kernel = self.kernel if secrets is None else self.kernel[secrets]
        place = np.argsort(rows)
        partition = None
        if self.partition is not None:
            partition = [place[list(subset)].tolist() for subset in self.partition]
        channel = Channel(
            kernel[..., rows, :], self.outputs, partition, certificate, inputs
        )
        if secrets is not None:
            vars(channel)["secrets"] = tuple(self.secrets[s] for s in secrets)
        elif self.sees_secret:
            vars(channel)["secrets"] = self.secrets
        return channel

    def __getstate__(self) -> dict[str, Any]:
        # what is cached for one joint distribution is left out
        return {
            name: value
            for name, value in vars(self).items()
            if name not in ("_released", "_aligned")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        # a copy is as immutable as the first: numpy would make its arrays writeable
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        vars(self).update(state)

    def _copy(self, **changes: Any) -> Channel:
        """Return a copy with other values of some attributes."""
        channel = Channel.__new__(Channel)
        vars(channel).update({**self.__getstate__(), **changes})
        return channel

    @classmethod
    @checked
    def identity(cls, n: int, labels: Sequence[Hashable] | None = None) -> Channel:
        """Return the channel that releases X unchanged."""
        return cls.deterministic(np.arange(check_count("n", n)), labels)

    @classmethod
    @checked
    def constant(cls, n: int) -> Channel:
        """Return the channel with a single output, which reveals nothing."""
        return cls.deterministic(np.zeros(check_count("n", n), np.int64))

    @classmethod
    @checked
    def merge(
        cls,
        partition: Iterable[Iterable[int]],
        n: int,
        labels: Sequence[Hashable] | None = None,
    ) -> Channel:
        """Return the channel that releases only the subset that contains x.

        Parameters
        ----------
        partition : iterable of iterables of int
            Disjoint subsets that cover 0, ..., n - 1; each becomes one output, in this
            order.
        n : int
            The number of symbols, ``|X|``.
        labels : sequence, optional
            Labels of the n symbols. A merged output has its symbols' labels, joined by
            "or".
        """
        n = check_count("n", n)
        merged = _partition(partition, n)
        output_of = np.empty(n, np.int64)
        for y, subset in enumerate(merged):
            output_of[list(subset)] = y
        channel = cls.deterministic(output_of, labels)
        vars(channel)["partition"] = merged
        return channel

    @classmethod
    @checked
    def deterministic(
        cls, output_of: ArrayLike, labels: Sequence[Hashable] | None = None
    ) -> Channel:
        """Return the channel that sends each symbol to a given output.

        Parameters
        ----------
        output_of : array_like of int, shape (X,)
            Output index of each symbol; the indices are 0, 1, 2, ... without gaps.
        labels : sequence, optional
            Labels of the symbols. A merged output has its symbols' labels, joined by
            "or".

        Examples
        --------
        >>> Channel.deterministic([1, 0, 1], "abc").outputs
        ('b', 'a or c')
        """
        try:
            count = len(output_of)  # type: ignore[arg-type]
        except TypeError as error:
            raise InvalidParameter(
                f"output_of is {shown(output_of)}: give the output of each symbol"
            ) from error
        array = _indices("output_of", output_of, count)
        sizes = np.bincount(array, minlength=1)
        if not sizes.all():
            raise InvalidDistribution(
                f"output_of sends no symbol to output {int(sizes.argmin())}: number "
                "outputs 0, 1, 2, ..."
            )
        array.flags.writeable = False
        names = None if labels is None else _labels("labels", labels, count)
        channel = cls.__new__(cls)
        vars(channel).update(
            certificate=None,
            output_of=array,
            _shape=(count, sizes.size),
            _names=names,
            _labelled=names is not None,
        )
        return channel

    @cached_property
    def kernel(self) -> Matrix:
        """P(y|x), shape (X, Y), or P(y|s,x), shape (S, X, Y)."""
        kernel = np.zeros(self._shape)
        kernel[np.arange(self.n_public), self.output_of] = 1
        kernel.flags.writeable = False
        return kernel

    @cached_property
    def partition(self) -> Partition | None:
        """The symbols merged into each output; None if the channel does not merge."""
        if self.output_of is None:
            return None
        order = np.argsort(self.output_of, kind="stable")
        ends = np.cumsum(np.bincount(self.output_of))
        return tuple(tuple(subset.tolist()) for subset in np.split(order, ends[:-1]))

    @cached_property
    def outputs(self) -> Labels:
        """The labels of the outputs, a tuple of length ``|Y|``."""
        names = vars(self)["_names"]
        if names is None:
            return tuple(range(self.n_outputs))
        labels: list[Hashable] = []
        taken = {
            names[subset[0]] for subset in self.partition or () if len(subset) == 1
        }
        for subset in self.partition or ():
            label = names[subset[0]]
            if len(subset) > 1:
                label = " or ".join(str(names[x]) for x in subset)
                while label in taken:  # another symbol or subset is called so
                    label = f"({label})"
                taken.add(label)
            labels.append(label)
        return tuple(labels)

    @cached_property
    def inputs(self) -> Labels:
        """The labels of the symbols, a tuple of length ``|X|``; 0, 1, 2, ... if they
        are not known.
        """
        names: Labels | None = vars(self)["_names"]
        return tuple(range(self.n_public)) if names is None else names

    @cached_property
    def secrets(self) -> Labels:
        """The labels of the secrets if the channel sees them; otherwise ()."""
        return tuple(range(self._shape[0])) if self.sees_secret else ()

    @property
    def sees_secret(self) -> bool:
        """Whether the kernel is P(y|s,x); S - X - Y need not be a Markov chain."""
        return len(self._shape) == 3

    @property
    def n_public(self) -> int:
        """The number of inputs, ``|X|``."""
        return self._shape[-2]

    @property
    def n_outputs(self) -> int:
        """The number of outputs, ``|Y|``."""
        return self._shape[-1]

    @checked
    def release(self, joint: Joint) -> Joint:
        """Return the joint distribution of S and Y, without outputs of probability 0.

        Parameters
        ----------
        joint : Joint
            P_SX, whose symbols are the channel's inputs: see :meth:`aligned`.

        Returns
        -------
        Joint
            P_SY, shape (S, Y); its public labels are the output labels.

        Raises
        ------
        InvalidParameter
            If the channel does not fit the joint distribution.
        """
        # cached: mechanisms, notions and measures ask for the same release
        known: tuple[Joint, Joint] | None = vars(self).get("_released")
        if known is not None and known[0] is joint:
            return known[1]
        channel = self.aligned(joint)
        if channel is not self:
            return channel.release(joint)
        if self.output_of is not None:
            p_sy: Matrix = np.stack(
                [np.bincount(self.output_of, row, self.n_outputs) for row in joint.p]
            )
        elif self.sees_secret:
            p_sy = np.einsum("sx,sxy->sy", joint.p, self.kernel)
        else:
            p_sy = joint.p @ self.kernel
        # without a zero cell, no row and no column is empty; with some, none is but for
        # underflow
        if p_sy.min() > 0 or (p_sy.any(axis=0).all() and p_sy.any(axis=1).all()):
            released = Joint._of(p_sy / p_sy.sum(), joint.secret, self.outputs)
        else:
            seen = np.asarray(p_sy.any(axis=0))
            labels = list(compress(self.outputs, seen))
            released = Joint(p_sy[:, seen] / p_sy.sum(), joint.secret, labels)
        vars(self)["_released"] = joint, released
        return released

    @checked
    def joint_xy(self, joint: Joint) -> Matrix:
        """Return P(x, y), shape (X, Y)."""
        kernel = self.aligned(joint).kernel
        if self.sees_secret:
            p_xy = np.einsum("sx,sxy->xy", joint.p, kernel)
        else:
            p_xy = joint.p_x[:, None] * kernel
        return np.asarray(p_xy / p_xy.sum())  # errors of SUM_TOL per row would add up

    @checked
    def y_given_x(self, joint: Joint) -> Matrix:
        """Return P(y|x), shape (X, Y), averaged over the secret (I21 eq. (9))."""
        return self.joint_xy(joint) / joint.p_x[:, None]

    @checked
    def compose(self, after: Channel) -> Channel:
        """Return the composition: this channel followed by ``after``, a channel P(z|y).

        The inputs of ``after`` are this channel's outputs, matched as by
        :meth:`aligned`.
        """
        if after.sees_secret:
            raise InvalidParameter(
                "after sees the secret: compose with a channel P(z|y)"
            )
        if after.n_public != self.n_outputs:
            raise InvalidParameter(
                f"after has {after.n_public} inputs, but this channel has "
                f"{self.n_outputs} outputs"
            )
        then = after.kernel
        if after._labelled:
            order = _order("outputs", after.inputs, self.outputs)
            then = then if order is None else then[order]
        kernel = self.kernel @ then
        channel = Channel(kernel / kernel.sum(axis=-1, keepdims=True), after.outputs)
        vars(channel).update(
            inputs=self.inputs, secrets=self.secrets, _labelled=self._labelled
        )
        return channel

    @overload
    def sample(
        self,
        x: pd.Series[Any],
        s: ArrayLike | None = None,
        rng: Uniform | int | None = None,
    ) -> pd.Series[Any]: ...

    @overload
    def sample(
        self, x: ArrayLike, s: ArrayLike | None = None, rng: Uniform | int | None = None
    ) -> NDArray[Any]: ...

    @checked
    def sample(self, x: Any, s: Any = None, rng: Uniform | int | None = None) -> Any:
        """Return a random output for each input.

        Parameters
        ----------
        x : array_like of int or of labels, shape (n,)
            Indices of the symbols, or their labels, ``self.inputs``. Whole numbers are
            indices, unless labels other than 0, 1, 2, ... are whole numbers themselves.
        s : array_like of int or of labels, shape (n,), optional
            Indices or labels of the secrets, for a channel that sees the secret.
        rng : int, numpy.random.Generator or Uniform, optional
            A seed or the source of randomness; by default a new one seeded by the
            operating system.

        Returns
        -------
        numpy.ndarray, shape (n,), or a series like x
            Indices of the outputs; their labels, ``self.outputs``, if x has labels. A
            series of pandas has the index of x, and one of pandas or Polars its name.

        Raises
        ------
        InvalidParameter
            If an index or a label does not exist, the secrets are missing or
            superfluous, or x and s are series with different indices.

        Examples
        --------
        >>> channel = Channel.merge([(0, 1), (2,)], 3, "abc")
        >>> channel.sample(["c", "a"]).tolist(), channel.sample([2, 0]).tolist()
        (['c', 'a or b'], [1, 0])
        """
        rows, by_label = self._rows_of(x, s)
        source = np.random.default_rng() if rng is None else rng
        if not isinstance(source, Uniform):
            source = generator(source)
        drawn = self._drawn(rows, source)
        if by_label:
            names = np.empty(self.n_outputs, object)
            names[:] = self.outputs
            return _like(x, names[drawn])
        return _like(x, drawn)

    def _rows_of(self, x: Any, s: Any) -> tuple[tuple[NDArray[np.int64], ...], bool]:
        """Return the kernel's rows for symbols, as an index (x,) or (s, x) of arrays of
        shape (n,), and whether x has labels.
        """
        if self.sees_secret != (s is not None):
            raise InvalidParameter(
                "s is needed exactly when the channel sees the secret: see "
                "Channel.sees_secret"
            )
        symbols, by_label = _places("x", x, self.inputs)
        if s is None:
            return (symbols,), by_label
        secrets, _ = _places("s", s, self.secrets)
        if secrets.shape != symbols.shape:
            raise InvalidParameter(
                f"s has shape {secrets.shape} and x {symbols.shape}: give one secret "
                "for each symbol"
            )
        if _has_index(x) and _has_index(s) and not x.index.equals(s.index):
            raise InvalidParameter(
                "x and s have different indices: give the secrets in the order of the "
                "symbols"
            )
        return (secrets, symbols), by_label

    def _drawn(
        self, rows: tuple[NDArray[np.int64], ...], source: Uniform
    ) -> NDArray[np.int64]:
        """Return the index of a random output for each row of the kernel."""
        drawn = np.empty(rows[-1].size, dtype=np.int64)
        if self.output_of is not None:
            return self.output_of[rows[-1]]
        if not drawn.size:
            return drawn
        flat = np.ravel_multi_index(rows, self.kernel.shape[:-1])
        uniform = source.random(drawn.size)
        order = np.argsort(flat, kind="stable")
        values, starts = np.unique(flat[order], return_index=True)
        table = self.kernel.reshape(-1, self.n_outputs)
        for value, chosen in zip(values, np.split(order, starts[1:]), strict=True):
            possible = np.flatnonzero(table[value])
            steps = np.cumsum(table[value, possible])
            # steps[-1] may round below 1: scaling keeps the draw among the possible
            # outputs
            at = np.searchsorted(steps, uniform[chosen] * steps[-1], side="right")
            drawn[chosen] = possible[np.minimum(at, possible.size - 1)]
        return drawn

    def to_frame(self) -> pd.DataFrame:
        """Return P(y|x) as a pandas.DataFrame with labels; P(y|s,x) has a row for each
        pair (s, x).
        """
        name = "public"
        rows = self.inputs
        if self.sees_secret:
            name = "(secret, public)"
            rows = tuple(product(self.secrets, self.inputs))
        table = self.kernel.reshape(-1, self.n_outputs)
        return framed(table, (name, rows), ("output", self.outputs))

    @checked
    def plot(self, joint: Joint, **options: Any) -> Axes:
        """Draw the channel as bands from symbols to outputs, and return the matplotlib
        axes.

        The options are those of :func:`liftlib.plots.flows`, such as ``secret``.
        """
        axes: list[Axes] = plots().flows(joint, {"": self}, **options)
        return axes[0]

    def _check_fits(self, joint: Joint) -> None:
        """Raise InvalidParameter unless the channel fits the joint distribution."""
        if joint.n_public != self.n_public:
            raise InvalidParameter(
                f"the channel has {self.n_public} inputs, the joint {joint.n_public} "
                "public symbols: give P(y|x), with a row for each symbol"
            )
        if self.sees_secret and joint.n_secret != self.kernel.shape[0]:
            raise InvalidParameter(
                f"the channel has {self.kernel.shape[0]} secrets, the joint "
                f"{joint.n_secret}: give P(y|s,x), with a table for each secret"
            )

    def __repr__(self) -> str:
        sees = f"{self.kernel.shape[0]} secrets x " if self.sees_secret else ""
        known = ""
        if self.certificate is not None:
            known = f", I(X;Y) = {self.certificate.value:.4g} nats"
            if np.isfinite(self.certificate.upper):
                known += f", gap {self.certificate.gap:.2g}"
        return (
            f"Channel({sees}{self.n_public} symbols -> {self.n_outputs} outputs{known})"
        )

    def _repr_html_(self) -> str:
        given = "P(y|s,x)" if self.sees_secret else "P(y|x)"
        return (
            f"<p>{escape(repr(self))}; "
            f"{given}:</p>{self.to_frame().to_html(max_rows=10, max_cols=10)}"
        )


def or_identity(joint: Joint, channel: Channel | None) -> Channel:
    """Return the channel, or the identity channel if it is None."""
    if channel is None:
        return Channel.identity(joint.n_public, joint.public)
    return channel.aligned(joint)


def in_order_of(channel: Channel, joint: Joint) -> Joint:
    """Return a joint distribution with its symbols in the order of a channel's inputs.

    A certificate, such as a proof, numbers the symbols as its channel does.
    """
    if channel.aligned(joint) is channel:
        return joint
    place = {label: x for x, label in enumerate(joint.public)}
    order = [place[label] for label in channel.inputs]
    return Joint(joint.p[:, order], joint.secret, channel.inputs)


def check_room(name: str, *shape: int) -> None:
    """Raise InvalidParameter if a kernel of this shape would not fit into memory.

    Examples
    --------
    >>> check_room("randomised response", 10, 10)
    """
    if math.prod(shape) > MAX_KERNEL_ENTRIES:
        size = " x ".join(map(str, shape))
        raise InvalidParameter(
            f"{name}: a kernel of {size} numbers takes {8e-9 * math.prod(shape):.0f} "
            "GB; merge or bin symbols first, "
            "or use subset merging, which needs no kernel"
        )


def _not_a_kernel(array: Matrix) -> str:
    """Return where a kernel's rows do not sum to 1, with the remedy."""
    sums = array.sum(axis=-1)
    at = tuple(int(i) for i in np.argwhere(~(np.abs(sums - 1) <= SUM_TOL))[0])
    if array.ndim == 2 and np.allclose(array.sum(axis=0), 1):
        return (
            f"kernel{list(at)} sums to {sums[at]:.12g} over outputs, not 1: its "
            "columns do, so transpose it"
        )
    return f"kernel{list(at)} sums to {sums[at]:.12g} over outputs, not 1: scale it"


def _order(what: str, known: Labels, asked: Labels) -> NDArray[np.int64] | None:
    """Return the place of each asked label among the known ones; None if the places
    agree.

    Raises
    ------
    InvalidParameter
        If a label is not known, unless one side is not labelled, so that it has the
        labels 0, 1, 2, ...
    """
    if known is asked or known == asked:
        return None
    place = {label: at for at, label in enumerate(known)}
    other = next((label for label in asked if label not in place), None)
    if other is None:
        return np.array([place[label] for label in asked])
    if tuple(range(len(known))) in (known, asked):
        return None
    raise InvalidParameter(
        f"{shown(other)} is among the {what}, and the channel was made for "
        f"{shown(known)}: rename the labels, "
        "or design a channel for this joint distribution"
    )


def _has_index(values: Any) -> bool:
    """Return whether values are a pandas.Series."""
    return hasattr(values, "index") and hasattr(values, "iloc")


def _like(x: Any, values: NDArray[Any]) -> Any:
    """Return values as a series, with its index and name, if x is one; otherwise as
    they are.
    """
    if _has_index(x):
        return type(x)(values, index=x.index, name=x.name)
    if hasattr(x, "to_list") and hasattr(x, "name"):  # Polars
        return type(x)(x.name, values.tolist())
    return values


def _partition(partition: Iterable[Iterable[int]], n: int) -> Partition:
    """Return a validated partition of 0, ..., n - 1 as tuples."""
    try:
        subsets = tuple(
            tuple(operator.index(x) for x in subset) for subset in partition
        )
    except TypeError as error:
        message = (
            f"partition is {shown(partition)}: give sequences of symbols' indices "
            f"({error})"
        )
        raise InvalidDistribution(message) from error
    if sorted(x for subset in subsets for x in subset) != list(range(n)) or not all(
        subsets
    ):
        message = (
            f"partition {shown(subsets)} is not non-empty subsets that cover 0, ..., "
            f"{n - 1} once each"
        )
        raise InvalidDistribution(message)
    return subsets


def _indices(name: str, values: ArrayLike, size: int) -> NDArray[np.int64]:
    """Return a validated one-dimensional array of indices below ``size``."""
    try:
        array = np.asarray(values)
    except ValueError as error:  # ragged
        raise InvalidParameter(
            f"{name} is {shown(values)}: give a flat array of indices"
        ) from error
    if array.ndim != 1 or not (
        array.size == 0 or np.issubdtype(array.dtype, np.integer)
    ):
        raise InvalidParameter(
            f"{name} has shape {array.shape} and type {array.dtype}: give a flat array "
            "of indices"
        )
    if not ((array >= 0) & (array < size)).all():
        raise InvalidParameter(
            f"{name} has an index outside 0, ..., {size - 1}: check the labels"
        )
    return array.astype(np.int64)


def _places(name: str, values: Any, labels: Labels) -> tuple[NDArray[np.int64], bool]:
    """Return the indices of symbols given by index or by label, and whether labels were
    given.
    """
    numbered = labels == tuple(range(len(labels)))
    if numbered or not all(
        isinstance(label, int) and not isinstance(label, bool) for label in labels
    ):
        try:
            array = np.asarray(values)
        except ValueError:  # labels that are tuples
            array = np.empty(1, object)
        if numbered or array.size == 0 or np.issubdtype(array.dtype, np.integer):
            return _indices(name, values, len(labels)), False
    index = {label: place for place, label in enumerate(labels)}
    try:
        return np.array([index[label] for label in listed(values)], np.int64), True
    except KeyError as error:
        raise InvalidParameter(
            f"{name} has {shown(error.args[0])}, which is not a label: the labels are "
            f"{shown(labels)}"
        ) from error
    except TypeError as error:
        raise InvalidParameter(
            f"{name} is {shown(values)}: give a sequence of indices or of labels"
        ) from error
