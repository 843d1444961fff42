"""The papers' figures at the scale of a claim, each computed once per seed, and claims
about their curves.

Comparators are for the rows of ``data/curves.toml``.
"""

from __future__ import annotations

import inspect
import math
import tomllib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import product
from operator import or_
from typing import Any

import pandas as pd

from liftbook import figures
from liftbook.claims.rule import Value
from liftlib.errors import DataError
from liftlib.resources import resource

MEAN_TOL = 1e-12
"""Tolerance of a mean over trials, which depends on the order of its terms."""
CURVE_TOL = 0.005
"""Half a hundredth: how far a curve may lie below another that a figure
shows above it.
"""


class Figure:
    """The rows of a figure, computed when they are first needed.

    ``number``, such as ``"e23_2"``, names its function in ``liftbook.figures``;
    ``scale`` and ``options`` are the arguments.
    """

    def __init__(self, number: str, *scale: Any, **options: Any) -> None:
        self.number, self.scale, self.options = number, scale, options
        self._seeds: dict[int, Figure] = {}

    @cached_property
    def rows(self) -> pd.DataFrame:
        """The figure's data frame, computed on first access."""
        rows: pd.DataFrame = getattr(figures, f"figure_{self.number}")(
            *self.scale, **self.options
        )
        return rows

    @property
    def random(self) -> bool:
        """Whether the figure draws at random."""
        return (
            "rng"
            in inspect.signature(getattr(figures, f"figure_{self.number}")).parameters
        )

    def at(self, seed: int) -> Figure:
        """Return the figure at a seed, or ``self`` if nothing is random."""
        if not self.random:
            return self
        if seed not in self._seeds:
            self._seeds[seed] = Figure(
                self.number, *self.scale, **self.options, rng=seed
            )
        return self._seeds[seed]

    def with_rows(self, rows: pd.DataFrame) -> Figure:
        """Return the figure with the given rows instead of computed ones."""
        copy = Figure(self.number)
        copy.rows = rows
        return copy

    def of(self, measure: str) -> pd.DataFrame:
        """Return the rows of one measure."""
        return self.rows[self.rows["measure"] == measure]

    def curve(
        self, series: str, measure: str = "nmi", column: str = "mean"
    ) -> pd.Series[float]:
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


def never_below(
    upper: pd.Series[float], lower: pd.Series[float], slack: float = CURVE_TOL
) -> bool:
    """Return whether ``upper`` >= ``lower`` - ``slack`` at each budget."""
    return bool((upper >= lower - slack).all())


Pairs = list[tuple["pd.Series[float]", "pd.Series[float]"]]
"""Pairs of an upper and a lower curve, by budget."""

POINT_KEYS = ("secret", "public", "eps", "reduction")
"""Columns that identify a point of a curve; the last one present is its abscissa."""
WITHIN: dict[str, Callable[..., Any]] = {
    "above": lambda x, low: x > low,
    "below": lambda x, high: x < high,
    "from": lambda x, low, high=float("inf"): (x >= low) & (x <= high),
    "outside": lambda x, low, high: (x < low) | (x > high),
}
"""Restrictions of budgets, such as "above 1" or "outside 1 to 2.5"."""


def _ahead(pairs: Pairs, slack: float) -> pd.Series[bool]:
    """Return a mask of the budgets at which some upper curve exceeds its lower one."""
    return reduce(or_, (upper.gt(lower + slack) for upper, lower in pairs))


def _least_ahead(pairs: Pairs, slack: float = CURVE_TOL) -> float:
    """Return the least budget at which some upper curve exceeds its lower one, or
    NaN.
    """
    ahead = _ahead(pairs, slack)
    budgets = ahead.index[ahead]
    return float(min(budgets)) if len(budgets) else math.nan


def _gap(pairs: Pairs) -> float:
    return max(float((upper - lower).max()) for upper, lower in pairs)


COMPARATORS: dict[str, Callable[..., Value]] = {
    "value": lambda pairs, budget: float(pairs[0][0][float(budget)]),
    "equal": lambda pairs: all(bool(upper.eq(lower).all()) for upper, lower in pairs),
    "never below": lambda pairs, slack=CURVE_TOL: all(
        bool(upper.ge(lower - slack).all()) for upper, lower in pairs
    ),
    "above": lambda pairs: all(bool(upper.gt(lower).all()) for upper, lower in pairs),
    "ahead on average": lambda pairs: bool(
        pd.concat([upper - lower for upper, lower in pairs]).mean() > 0
    ),
    "largest gap": _gap,
    "gap at most": lambda pairs, margin: _gap(pairs) <= float(margin),
    "gap at least": lambda pairs, margin: _gap(pairs) >= float(margin),
    "least budget ahead": _least_ahead,
    "budgets ahead": lambda pairs, slack=MEAN_TOL: float(_ahead(pairs, slack).sum()),
    "rises": lambda pairs: all(
        bool((upper.diff().dropna() > 0).all()) for upper, _ in pairs
    ),
}
"""Tests of curves by name; without a lower curve the upper one is compared with 0."""


@dataclass(frozen=True)
class CurveClaim:
    """A row of ``data/curves.toml``: a claim about curves, called like a function.

    Attributes
    ----------
    row : mapping
        The comparator (``test``), the curves (``figure``, ``than``, ``without``,
        ``measures``, ``column``, ``panel``, ``upper``, ``lower``, ``budgets``) and the
        comparator's own arguments.
    figures : mapping
        Named figures with options.
    """

    row: Mapping[str, Any]
    figures: Mapping[str, Mapping[str, Any]]

    @property
    def long(self) -> bool:
        """Whether the figure takes more than a few seconds."""
        return bool(self.row.get("long", False))

    @cached_property
    def drawn(self) -> list[Figure]:
        """The claim's figures.

        A name that contains ``$`` stands for the first of ``figures`` whose name begins
        with the text before it.
        """
        names = {
            self.row[key].partition("$")
            for key in ("figure", "than")
            if key in self.row
        }
        known = [
            next(
                (
                    candidate
                    for candidate in self.figures
                    if mark and candidate.startswith(name)
                ),
                name,
            )
            for name, mark, _ in names
        ]
        return [
            self._figure(name, self.row.get("without", "").replace("$", "none"))
            for name in known
        ]

    def drawn_for(self, argument: str) -> list[Figure]:
        """Return the figures of a call."""
        row = {
            key: _filled(self.row[key], argument)
            for key in ("figure", "than", "without")
            if key in self.row
        }
        than = [self._figure(row["than"], "")] if "than" in row else []
        return [self._figure(row["figure"], row.get("without", "")), *than]

    @property
    def random(self) -> bool:
        """Whether the figures are drawn at random."""
        return any(figure.random for figure in self.drawn)

    def __call__(self, argument: str = "", *, seed: int = 0) -> Value:
        """Return the value of the claim."""
        return self._value(argument, lambda one: one.at(seed))

    def on_rows(self, argument: str, tables: Mapping[str, pd.DataFrame]) -> Value:
        """Return the value of the claim on the given rows of its figures.

        ``tables`` has the rows by the name of the function that makes them, such as
        ``figure_e23_2``; ``argument`` is what follows the colon of the call.

        Raises
        ------
        DataError
            If the rows lack a figure, a curve or a budget.
        """
        try:
            return self._value(
                argument, lambda one: one.with_rows(tables[f"figure_{one.number}"])
            )
        except KeyError as error:
            raise DataError(
                f"the rows have no {error}: give those of the claim's figures and"
                " budgets"
            ) from error

    def _value(self, argument: str, drawn: Callable[[Figure], Figure]) -> Value:
        row = {key: _filled(value, argument) for key, value in self.row.items()}
        upper, lower = _list(row.pop("upper")), _list(row.pop("lower", []))
        names = [
            (upper[at % len(upper)], lower[at % len(lower)] if lower else None)
            for at in range(max(len(upper), len(lower)))
        ]
        whose = drawn(self._figure(row.pop("figure"), row.get("without", "")))
        other = drawn(self._figure(row.pop("than"), "")) if "than" in row else whose
        cut = {
            key: row.pop(key) for key in ("column", "panel", "budgets") if key in row
        }
        pairs: Pairs = []
        for measure, (name, below) in product(_list(row.pop("measures", "nmi")), names):
            curve = _curve(whose, name, measure, **cut)
            pairs.append(
                (
                    curve,
                    (
                        0 * curve
                        if below is None
                        else _curve(other, below, measure, **cut)
                    ),
                )
            )
        test = COMPARATORS[row.pop("test")]
        return test(
            pairs,
            **{
                key: value
                for key, value in row.items()
                if key not in ("without", "long")
            },
        )

    def _figure(self, name: str, without: str) -> Figure:
        if without:
            return on_adult(name, without)
        options = {
            key: _frozen(value)
            for key, value in self.figures.get(name, {"number": name}).items()
        }
        return figure(options.pop("number"), **options)


def _curve(
    whose: Figure,
    series: str,
    measure: str,
    column: str = "mean",
    panel: Mapping[str, str] | None = None,
    budgets: str = "",
) -> pd.Series[float]:
    """Return one curve of a figure, by budget, restricted to ``budgets``."""
    rows: pd.DataFrame = whose.of(measure)
    for key, value in {"series": series, **(panel or {})}.items():
        rows = rows[rows[key] == value]
    if rows.empty:
        raise DataError(
            f"figure_{whose.number} has no series {series!r} of {measure}: correct"
            " data/curves.toml"
        )
    curve = rows.set_index([key for key in POINT_KEYS if key in rows])[column]
    if budgets in ("", "all budgets"):
        return curve
    word, _, limits = budgets.partition(" ")
    inside: pd.Series[bool] = WITHIN[word](
        curve.index.get_level_values(-1), *map(float, limits.split(" to "))
    )
    if not inside.any():
        raise DataError(
            f"figure_{whose.number} has no budget {budgets}: no claim can be made"
        )
    return curve[inside]


def _filled(value: Any, argument: str) -> Any:
    return value.replace("$", argument) if isinstance(value, str) else value


def _list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def curve_claims() -> dict[str, CurveClaim]:
    """Return the claims of ``data/curves.toml`` by name."""
    table = tomllib.loads(resource("data/curves.toml").read_text(encoding="utf-8"))
    return {
        name: CurveClaim(row, table["figures"]) for name, row in table["claims"].items()
    }
