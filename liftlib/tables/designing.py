"""A channel designed for a table, with what it takes to apply it to rows: kept in a file, for rows to come."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from liftlib.channel import Channel, Uniform
from liftlib.checks import checked
from liftlib.errors import DataError, InvalidParameter, LiftError
from liftlib.joint import Joint
from liftlib.mechanisms.registry import MECHANISMS, Mechanism
from liftlib.notions import Notion
from liftlib.numerics import Vector
from liftlib.tables.columns import JOIN, Counts, Symbols, as_dict, from_dict

FORMAT = "liftlib channel 1"

SHOWN = 1e-6
"""An output's text names the symbols that it comes from with at least this probability."""

Unseen = Literal["error", "draw"]


@dataclass(frozen=True, eq=False)
class Design:
    """A channel for a table's public symbols.

    Attributes
    ----------
    mechanism, notion : str
        How it was made, and what it keeps for the estimated joint distribution.
    secret, public : Symbols
    channel : Channel
        P(y|x), or P(y|s,x) where the mechanism sees the secret.
    outputs : tuple of str
        A text for each output.
    p_y : numpy.ndarray, shape (Y,)
        How often each output is released; a draw from it says nothing about the row.
    rows : int
        Rows that the joint distribution was estimated from.
    """

    mechanism: str
    notion: str
    secret: Symbols
    public: Symbols
    channel: Channel
    outputs: tuple[str, ...]
    p_y: Vector
    rows: int

    @property
    def released_name(self) -> str:
        """The name of the released column."""
        return JOIN.join(self.public.names)

    def columns_needed(self) -> list[str]:
        """Return the columns that a release reads."""
        return [*self.public.names, *(self.secret.names if self.channel.sees_secret else [])]

    def release(self, rows: pl.DataFrame, rng: Uniform, unseen: Unseen = "error") -> pl.Series:
        """Return a released text for each row.

        Parameters
        ----------
        rows : polars.DataFrame
            With the columns needed.
        rng : Uniform
            The source of randomness.
        unseen : {"error", "draw"}
            What becomes of a symbol that the design has not seen: refused, or a draw from P(y), which is private.

        Raises
        ------
        DataError
            If a symbol was not seen and ``unseen`` is ``"error"``.
        """
        x = self._known("public", self.public, rows, unseen)
        s = self._known("secret", self.secret, rows, unseen) if self.channel.sees_secret else None
        known = x >= 0 if s is None else (x >= 0) & (s >= 0)
        y = np.empty(len(x), dtype=np.int64)
        y[known] = self.channel.sample(x[known], None if s is None else s[known], rng)
        if not known.all():
            steps = np.cumsum(self.p_y)
            drawn = np.searchsorted(steps, rng.random(int((~known).sum())) * steps[-1], side="right")
            y[~known] = np.minimum(drawn, len(steps) - 1)
        return pl.Series(self.released_name, list(self.outputs)).gather(pl.Series(y))

    def _known(self, role: str, symbols: Symbols, rows: pl.DataFrame, unseen: Unseen) -> NDArray[np.int64]:
        codes = symbols.codes(rows)
        if unseen == "error" and (codes < 0).any():
            at = int(np.argmax(codes < 0))
            value = JOIN.join(str(rows[name][at]) for name in symbols.names)
            raise DataError(
                f"{int((codes < 0).sum()):,} rows have a {role} symbol that the channel was not made for, the first "
                f"{value!r}: design the channel again, or draw for them what says nothing (--unseen draw)"
            )
        return codes

    def save(self, path: Path) -> None:
        """Write the channel as JSON."""
        kernel = self.channel.kernel.reshape(-1, self.channel.n_outputs)
        possible = [np.flatnonzero(row) for row in kernel]
        content = {
            "format": FORMAT,
            "mechanism": self.mechanism,
            "notion": self.notion,
            "rows": self.rows,
            "secret": as_dict(self.secret),
            "public": as_dict(self.public),
            "outputs": list(self.outputs),
            "p_y": self.p_y.tolist(),
            "sees_secret": self.channel.sees_secret,
            "kernel": [[at.tolist(), row[at].tolist()] for at, row in zip(possible, kernel, strict=True)],
        }
        path.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")


@checked
def load(path: Path) -> Design:
    """Return the design that :meth:`Design.save` wrote.

    Raises
    ------
    DataError
        If the file is not there or is no such file.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        made = _loaded(found) if found["format"] == FORMAT else None
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, IndexError, LiftError) as error:
        raise DataError(f"{path} is no channel that `lift sanitise` wrote: {error!r}") from error
    if made is None:
        raise DataError(f"{path} has the format {found['format']!r}, not {FORMAT!r}: make the channel again")
    return made


def _loaded(found: Any) -> Design:
    secret, public = from_dict(found["secret"]), from_dict(found["public"])
    kernel = np.zeros((len(found["kernel"]), len(found["outputs"])))
    for row, (at, values) in zip(kernel, found["kernel"], strict=True):
        row[at] = values
    shape = (len(secret.labels), len(public.labels)) if found["sees_secret"] else (len(public.labels),)
    return Design(
        str(found["mechanism"]),
        str(found["notion"]),
        secret,
        public,
        Channel(kernel.reshape(*shape, len(found["outputs"]))),
        tuple(map(str, found["outputs"])),
        np.asarray(found["p_y"], dtype=np.float64),
        int(found["rows"]),
    )


def joint_of(counts: Counts) -> Joint:
    """Return the estimated joint distribution, with texts for labels."""
    return Joint.from_counts(counts.table, counts.secret.texts, counts.public.texts)


def mechanism_named(name: str) -> Mechanism:
    """Return a mechanism from the registry.

    Raises
    ------
    InvalidParameter
        If there is none of that name.

    Examples
    --------
    >>> mechanism_named("watchdog").name
    'watchdog'
    """
    if name not in MECHANISMS:
        raise InvalidParameter(f"no mechanism {name!r}: there are {', '.join(MECHANISMS)}")
    return MECHANISMS[name]


@checked
def design(counts: Counts, notion: Notion, mechanism: str) -> Design:
    """Return the channel that a mechanism makes for a table's counts.

    Raises
    ------
    InvalidParameter
        If there is no such mechanism.
    UnsupportedNotion
        If it does not serve the notion.
    """
    joint = joint_of(counts)
    channel = mechanism_named(mechanism)(joint, notion)
    p_y = np.asarray(channel.joint_xy(joint).sum(axis=0))
    return Design(
        mechanism,
        repr(notion),
        counts.secret,
        counts.public,
        channel,
        tuple(_outputs(channel, joint)),
        p_y,
        int(counts.table.sum()),
    )


def _outputs(channel: Channel, joint: Joint) -> Iterator[str]:
    """Give each output a text of its own: the symbols that it comes from."""
    if channel.outputs == joint.public:
        yield from map(str, joint.public)
        return
    p_xy = channel.joint_xy(joint)
    posterior = p_xy / np.maximum(p_xy.sum(axis=0), np.finfo(float).tiny)
    seen: dict[str, int] = {}
    for y in range(channel.n_outputs):
        from_these = np.flatnonzero(posterior[:, y] >= SHOWN)
        text = _either([str(joint.public[x]) for x in from_these])
        seen[text] = seen.get(text, 0) + 1
        yield text if seen[text] == 1 else f"{text} ({seen[text]})"


def _either(names: Sequence[str]) -> str:
    if len(names) <= 5:
        return " or ".join(names)
    return " or ".join(names[:4]) + f" or {len(names) - 4} more"


def information(found: Design) -> dict[str, Any]:
    """Return what a design is, for programs."""
    return {
        "mechanism": found.mechanism,
        "notion": found.notion,
        "rows": found.rows,
        "secret": found.secret.names,
        "public": found.public.names,
        "released": found.released_name,
        "symbols": len(found.public.labels),
        "outputs": list(found.outputs),
        "sees_secret": found.channel.sees_secret,
    }
