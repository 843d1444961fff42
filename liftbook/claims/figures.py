"""The papers' figures at the scale of a claim, each computed once per seed."""

from __future__ import annotations

import inspect
from collections.abc import Hashable
from functools import cache, cached_property
from typing import Any

import pandas as pd

from liftbook import figures

MEAN_TOL = 1e-12
"""Tolerance of a mean over trials, which depends on the order of its terms."""


class Figure:
    """The rows of a figure, computed when they are first needed.

    ``number``, such as ``"e23_2"``, names its function in ``liftbook.figures``; ``scale`` and ``options`` are the
    arguments.
    """

    def __init__(self, number: str, *scale: Any, **options: Any) -> None:
        self.number, self.scale, self.options = number, scale, options
        self._seeds: dict[int, Figure] = {}

    @cached_property
    def rows(self) -> pd.DataFrame:
        """The figure's data frame, computed on first access."""
        rows: pd.DataFrame = getattr(figures, f"figure_{self.number}")(*self.scale, **self.options)
        return rows

    @property
    def random(self) -> bool:
        """Whether the figure draws at random."""
        return "rng" in inspect.signature(getattr(figures, f"figure_{self.number}")).parameters

    def at(self, seed: int) -> Figure:
        """Return the figure at a seed, or ``self`` if nothing is random."""
        if not self.random:
            return self
        if seed not in self._seeds:
            self._seeds[seed] = Figure(self.number, *self.scale, **self.options, rng=seed)
        return self._seeds[seed]

    def with_rows(self, rows: pd.DataFrame) -> Figure:
        """Return the figure with the given rows instead of computed ones."""
        copy = Figure(self.number)
        copy.rows = rows
        return copy

    def of(self, measure: str) -> pd.DataFrame:
        """Return the rows of one measure."""
        return self.rows[self.rows["measure"] == measure]

    def curve(self, series: str, measure: str = "nmi", column: str = "mean") -> pd.Series[float]:
        """Return one curve, by budget."""
        rows = self.of(measure)
        return rows[rows["series"] == series].set_index("eps")[column]


@cache
def figure(number: str, **options: Hashable) -> Figure:
    """Return the cached figure with these options, so that it is computed only once."""
    return Figure(number, **options)


def on_adult(number: str, without: str) -> Figure:
    """Return a figure on Adult without one relationship, or on all rows ("none")."""
    return figure(number, leave_out=(without,) if without != "none" else ())


def never_below(upper: pd.Series[float], lower: pd.Series[float], slack: float = MEAN_TOL) -> bool:
    """Return whether ``upper`` >= ``lower`` - ``slack`` at each budget."""
    return bool((upper >= lower - slack).all())
