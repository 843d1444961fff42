"""A channel designed for a table, with what a release of rows needs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Channel, Uniform
from liftlib.errors import DataError, InvalidParameter
from liftlib.joint import Joint
from liftlib.notions import RatioBased
from liftlib.notions.catalogue import content_of, from_content
from lifttables.confident.families import designed
from lifttables.encoding.columns import (
    JOIN,
    MISSING,
    ROWS,
    UNKNOWN_PREFIX,
    Column,
    Counts,
    Labels,
    Symbols,
    as_dict,
    from_dict,
)
from lifttables.encoding.naming import Texts, behind, texts_of_outputs
from lifttables.files import indices_from, many, read_ours, texts_from
from lifttables.population.noisy import NoisyCounts
from mixproof.checks import checked
from mixproof.numerics import Matrix, Vector, check_scalar

FORMAT = "liftlib design 6"
BELIEF = 0.1  # the belief that is bounded where none was asked about
DEFAULT_CONFIDENCE = 0.95  # default confidence of a guarantee for the population


class Kind(Enum):
    """What a release publishes: rows with drawn or merged values, or counts and no
    rows.
    """

    RESPONSE = "subset response"
    MERGING = "merging"
    COUNTS = "noisy counts"


class Made(NamedTuple):
    """A design, and the share of H(X) that it retains."""

    design: Design
    nmi: float


@dataclass(frozen=True, eq=False)
class Design:
    """A channel for a table's public symbols, with the table's counts: confidential.

    Attributes
    ----------
    kind : Kind
    secret, public : Symbols
    channel : Channel
        P(y|x).
    texts : tuple of tuple of str
        The label of each output in each public column.
    sources : tuple of tuple of int
        The symbols behind each output.
    table : numpy.ndarray, shape (S, X)
        The counts.
    promise : RatioBased
        The notion that holds for the population or, of counts, for each row.
    confidence : float or None
        The confidence of the promise for the population; None for counts, whose promise
        has none.
    noisy : NoisyCounts
        The noisy counts from which all but ``table`` was computed.
    belief : float
        The belief about which cards speak.
    made_from : tuple of str
        Digests of the rows that the design was made from, of all columns and of the
        public ones, in any order, under the owner's key: they tell nothing to who has
        not the key. Empty for draws that can be repeated.
    card, file : str
        The digest of the card and the SHA-256 of the table that were written with the
        design; empty for a frame.
    key : str
        The mark of the key under which ``made_from`` was computed, see ``mark_of``;
        empty if that is.
    """

    kind: Kind
    secret: Symbols
    public: Symbols
    channel: Channel
    texts: Texts
    sources: tuple[tuple[int, ...], ...]
    table: Matrix
    promise: RatioBased
    confidence: float | None
    noisy: NoisyCounts
    belief: float = BELIEF
    made_from: tuple[str, ...] = ()
    card: str = ""
    file: str = ""
    key: str = ""

    @property
    def rows(self) -> int:
        """The number of rows that the channel was designed from."""
        return int(self.table.sum())

    @property
    def of_counts(self) -> bool:
        """Whether counts are published, and no rows."""
        return self.kind is Kind.COUNTS

    @property
    def constant(self) -> bool:
        """Whether each row has the same output, which tells nothing about it."""
        return self.channel.n_outputs == 1

    @property
    def outputs(self) -> tuple[str, ...]:
        """The label of each output, joined over the columns."""
        return tuple(JOIN.join(texts) for texts in self.texts)

    @property
    def named_channel(self) -> Channel:
        """The channel with the labels of its outputs."""
        return Channel(
            self.channel.kernel,
            self.outputs,
            self.channel.partition,
            self.channel.certificate,
        )

    @property
    def counts(self) -> Counts:
        """The contingency table."""
        return Counts(self.table, self.secret, self.public)

    @property
    def joint(self) -> Joint:
        """The joint distribution by the noisy counts, which has values that no row has
        too.
        """
        return Counts(self.table, self.secret, self.public, noisy=self.noisy).joint

    def columns_in(self, names: Sequence[str]) -> list[Column]:
        """Return the secret columns in ``names``, and the public columns."""
        secret = [column for column in self.secret.columns if column.name in names]
        return [*secret, *self.public.columns]

    @property
    def pools_new(self) -> bool:
        """Whether public values that the design has not seen count as rare, as all that
        are not named do.
        """
        return self.public.has_pool

    def draw(self, rows: Any, rng: Uniform) -> NDArray[np.int64]:
        """Return a random output index for each row of an eager frame.

        An unseen symbol counts as a rare one, if there is a pool; otherwise it raises
        DataError.
        """
        codes = self.public.codes(rows)
        self._check_seen(rows, codes, np.ones(len(codes)))
        pool = len(self.public.labels) - 1
        return self.channel.sample(np.where(codes < 0, pool, codes), rng=rng)

    def check_symbols(self, counted: Labels) -> None:
        """Raise DataError if counted labels have a public symbol that is unseen, and in
        no pool, or a missing value where the design's rows have none.
        """
        labels = [*self.public.labels, *self.public.pooled]
        whole = [one for one in labels if len(one) == len(self.public.names)]
        for at, name in enumerate(self.public.names):
            times = counted[ROWS].filter(counted[name].is_null())
            if len(times) and all(one[at] != MISSING for one in whole):
                raise DataError(
                    f"column {name!r} has missing values in {many(times.sum(), 'row')},"
                    " and the design's rows have none: fill them in, or drop those"
                    " rows",
                    arguments=("missing",),
                )
        self._check_seen(counted, self.public.index(counted), counted[ROWS].to_numpy())

    def _check_seen(self, rows: Any, codes: NDArray[np.int64], times: Vector) -> None:
        unseen = codes < 0
        if unseen.any() and not self.pools_new:
            first = int(np.argmax(unseen))
            # a label that its hierarchy or its bins do not know has a mark in front
            value = JOIN.join(
                str(rows[name][first]).removeprefix(UNKNOWN_PREFIX)
                for name in self.public.names
            )
            raise DataError(
                "the design has not seen the public symbol of"
                f" {many(times[unseen].sum(), 'row')}, such as {value!r}: release the"
                " rows without a design, or correct them"
            )

    def released(self, outputs: NDArray[np.int64]) -> dict[str, NDArray[np.object_]]:
        """Return the text of each output index in each released column, by name."""
        columns = zip(self.public.names, zip(*self.texts, strict=True), strict=True)
        return {name: np.array(texts, dtype=object)[outputs] for name, texts in columns}

    def content(self) -> dict[str, Any]:
        """Return the design as JSON values, without what was written with it."""
        kernel = self.channel.kernel
        possible = [np.flatnonzero(row) for row in kernel]
        return {
            "format": FORMAT,
            "confidential": "the counts of the table are in here: not for publication",
            "kind": self.kind.value,
            "promise": content_of(self.promise),
            "confidence": self.confidence,
            "secret": as_dict(self.secret),
            "public": as_dict(self.public),
            "texts": [list(texts) for texts in self.texts],
            "sources": [list(source) for source in self.sources],
            "table": self.table.tolist(),
            "noisy": self.noisy.content(),
            "belief": self.belief,
            "made_from": list(self.made_from),
            "key": self.key,
            "kernel": [
                [at.tolist(), row[at].tolist()]
                for at, row in zip(possible, kernel, strict=True)
            ],
        }

    def as_text(self) -> str:
        """Return the design as the text of a confidential JSON file."""
        written = {"card": self.card, "file": self.file}
        return json.dumps(self.content() | written, ensure_ascii=False) + "\n"


@checked
def load(path: str | Path) -> Design:
    """Return the design in a file that a release wrote.

    Parameters
    ----------
    path : str or pathlib.Path
        The file of a design.

    Raises
    ------
    DataError
        If it is no design, or a design of a later version.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polars as pl
    >>> from liftlib import LIP
    >>> ill = ["yes"] * 20 + ["no"] * 20 + ["yes"] * 40 + ["no"] * 120
    >>> table = pl.DataFrame({"ill": ill, "age": ["old"] * 40 + ["young"] * 160})
    >>> from lifttables import Outputs, Plan, Reading, sanitise_file
    >>> folder = tempfile.TemporaryDirectory()
    >>> source, out = Path(folder.name, "people.csv"), Path(folder.name, "release.csv")
    >>> table.write_csv(source)
    >>> outputs = Outputs.next_to(out)
    >>> plan = Plan(Reading.from_words({"secret": "ill", "public": "age"}), LIP(1.0))
    >>> release = sanitise_file(source, outputs, plan, rng=1)
    >>> load(outputs.design).kind.value
    'subset response'
    >>> folder.cleanup()
    """
    return read_ours(
        Path(path),
        "design",
        FORMAT,
        design_from,
        "release the table again, which writes a new design",
    )


def design_from(content: Any) -> Design:
    """Return a design from its JSON values."""
    secret, public = from_dict(content["secret"]), from_dict(content["public"])
    texts = tuple(map(texts_from, content["texts"]))
    kernel = kernel_from(content["kernel"], len(texts))
    design = Design(
        Kind(content["kind"]),
        secret,
        public,
        Channel(kernel),
        texts,
        tuple(
            indices_from(source, len(public.labels)) for source in content["sources"]
        ),
        np.asarray(content["table"], dtype=np.float64),
        promise_from(content["promise"]),
        confidence_from(content["confidence"]),
        NoisyCounts.from_content(content["noisy"]),
        belief_from(content["belief"]),
        texts_from(content["made_from"]),
        *texts_from([content[name] for name in ("card", "file", "key")]),
    )
    if bool(design.made_from) != bool(design.key):
        raise ValueError("it does not say by which key it knows its rows")
    shape = (len(secret.labels), len(public.labels))
    if design.table.shape != shape or kernel.shape != (len(public.labels), len(texts)):
        raise ValueError("its counts do not fit its symbols")
    if not (
        np.isfinite(design.table)
        & (design.table >= 0)
        & (design.table == np.floor(design.table))
    ).all():
        raise ValueError("its counts are not whole numbers of at least 0")
    check_texts(texts, design.sources, len(public.columns))
    return design


def kernel_from(rows: Any, n_outputs: int) -> Matrix:
    """Return a kernel, shape (len(rows), n_outputs), from JSON.

    JSON has the indices of outputs and their probabilities for each row.
    """
    kernel = np.zeros((len(rows), n_outputs))
    for row, (at, values) in zip(kernel, rows, strict=True):
        places = indices_from(at, n_outputs)
        if len(places) != len(values):
            raise ValueError(f"{len(places)} indices have {len(values)} probabilities")
        row[list(places)] = values
    return kernel


def promise_from(content: Any) -> RatioBased:
    """Return the notion in a design or a card; raise DataError if it bounds
    no ratios.
    """
    promise = from_content(content)
    if not isinstance(promise, RatioBased):
        raise DataError(
            f"{promise} is not a promise of a release: ask for a card of this version"
        )
    return promise


def belief_from(content: Any) -> float:
    """Return the belief in a design or a card; raise InvalidParameter if it is none."""
    return check_scalar("belief", content, 0, 1, open_low=True, open_high=True)


def confidence_from(content: Any) -> float | None:
    """Return the confidence in a design or a card; raise InvalidParameter if it is
    none.
    """
    if content is None:
        return None
    return check_scalar("confidence", content, 0, 1, open_low=True, open_high=True)


def check_texts(texts: Texts, sources: Sequence[Sequence[int]], n_columns: int) -> None:
    """Raise ValueError if output texts are not unique or have the wrong shape."""
    if len(texts) != len(sources) or any(
        len(output_texts) != n_columns for output_texts in texts
    ):
        raise ValueError("its texts do not fit its outputs and columns")
    if len(set(texts)) < len(texts):
        raise ValueError("two of its outputs have one text")


def best_design(
    counts: Counts,
    notion: RatioBased,
    confidence: float = DEFAULT_CONFIDENCE,
    kind: Kind = Kind.RESPONSE,
) -> Made:
    """Return the release of a kind that retains most, from noisy counts."""
    noisy = counts.noisy
    if noisy is None:
        raise InvalidParameter(
            "counts have no noise: add some first, from which the design is made"
        )
    best = designed(counts.sample(confidence), notion, counts.public.places, kind.value)
    joint = counts.joint
    return Made(
        assembled(kind, notion, confidence, counts, joint, best.channel, noisy),
        best.nmi,
    )


def assembled(
    kind: Kind,
    promise: RatioBased,
    confidence: float | None,
    counts: Counts,
    joint: Joint,
    channel: Channel,
    noisy: NoisyCounts,
) -> Design:
    """Return the design that consists of a channel and a table's counts.

    ``joint`` is of the noisy counts, so that nothing on the card depends on the table
    otherwise.
    """
    sources = behind(channel, joint)
    p_xy = channel.joint_xy(joint)
    return Design(
        kind,
        counts.secret,
        counts.public,
        channel,
        texts_of_outputs(counts.public, sources, p_xy),
        sources,
        counts.table,
        promise,
        confidence,
        noisy,
    )
