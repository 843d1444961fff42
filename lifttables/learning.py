"""A scikit-learn transformer that releases columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import polars as pl

from liftlib.errors import InvalidParameter
from liftlib.notions import LIP, Notion
from lifttables.designs.designing import DEFAULT_CONFIDENCE, Design, design
from lifttables.encoding.columns import Column
from lifttables.encoding.counting import Rare, count
from lifttables.encoding.reading import cuts
from lifttables.extras import extra
from lifttables.releases.pipeline import warn_of_rows_alone
from lifttables.sources.randomness import uniform
from lifttables.sources.source import open_table

with extra("sklearn"):
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils import Tags
    from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

SECRET_NAME = "the secret"  # name of the secret; other columns are numbered


class LiftRelease(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn comes without types
    """A transformer that releases the columns of X under a notion about the target y.

    Each combination of values of all columns is one symbol.

    Parameters
    ----------
    notion : Notion, optional
        LIP(1) by default.
    mechanism : str
        A key of ``liftlib.mechanisms`` whose channel does not see the secret.
    confidence : float or None
        Confidence with which the population of the rows of ``fit`` satisfies the notion; None guarantees it for those
        rows only, and warns.
    n_bins : int
        Number of quantile bins of a numeric column with more distinct values than this.
    rare, min_count
        As in :class:`~lifttables.encoding.reading.Reading`.
    handle_unknown : {"draw", "error"}
        Treatment of symbols not seen in ``fit``: draw from P(y), which reveals nothing, or raise an error.
    output : {"text", "ordinal", "onehot"}
        Result of ``transform``: a text for each column, the output's number, or an indicator column for each output.
    random_state : int or numpy.random.Generator, optional
        By default, draws come from the operating system's generator and differ between calls.

    Attributes
    ----------
    design_ : Design
        The channel with the counts: confidential.

    Notes
    -----
    Rows keep their order, as a pipeline requires: shuffle them before publication.

    Examples
    --------
    >>> import pandas as pd
    >>> X, y = pd.DataFrame({"age": ["old", "mid", "new"] * 20}), ["ill", "well", "well"] * 20
    >>> LiftRelease(LIP(0.5)).fit(X, y).transform(X)[:3].tolist()
    [['mid or new or old'], ['mid or new or old'], ['mid or new or old']]
    """

    def __init__(
        self,
        notion: Notion | None = None,
        mechanism: str = "subset-merging",
        *,
        confidence: float | None = DEFAULT_CONFIDENCE,
        n_bins: int = 4,
        rare: Rare = "keep",
        min_count: int = 5,
        handle_unknown: Literal["draw", "error"] = "draw",
        output: Literal["text", "ordinal", "onehot"] = "text",
        random_state: int | np.random.Generator | None = None,
    ):
        self.notion = notion
        self.mechanism = mechanism
        self.confidence = confidence
        self.n_bins = n_bins
        self.rare = rare
        self.min_count = min_count
        self.handle_unknown = handle_unknown
        self.output = output
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> LiftRelease:
        """Design the channel from the columns X and the secret y, shape (n,)."""
        if self.output not in ("text", "ordinal", "onehot") or self.handle_unknown not in ("draw", "error"):
            raise InvalidParameter(
                f"output is {self.output!r} and handle_unknown {self.handle_unknown!r}: give text, ordinal or onehot, "
                "and draw or error"
            )
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        X = validate_data(self, X, dtype=None, ensure_min_samples=1)
        y = column_or_1d(y, warn=True)
        if len(y) != len(X):
            raise ValueError(f"X has {len(X)} rows and y {len(y)}: give one secret a row")
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            raise ValueError("y contains NaN or infinity: leave those rows out")
        if len(set(y.tolist())) < 2:
            raise ValueError("y has one class, so that nothing can be said about others: give secrets of two or more")
        frame = self._frame(X)
        self._names = frame.columns
        columns = [self._column(frame, name) for name in frame.columns]
        secret = Column(SECRET_NAME, na=(), categorical=True)
        rows = open_table(frame.with_columns(pl.Series(SECRET_NAME, [str(label) for label in y])))
        counts = count(
            rows.counts([secret, *columns]),
            [secret],
            columns,
            rare=self.rare,
            min_count=self.min_count,
            max_symbols=max(5000, len(X)),
        )
        # quantiles were cut by these rows
        chosen = counts.chosen + sum(cuts(rows, column) for column in columns if column.edges)
        notion = LIP(1.0) if self.notion is None else self.notion
        self.design_: Design = design(replace(counts, chosen=chosen), notion, self.mechanism, self.confidence)
        warn_of_rows_alone(self.confidence)
        if self.design_.channel.sees_secret:
            raise InvalidParameter(f"{self.mechanism} sees the secret, which `transform` is not given: use another")
        return self

    def transform(self, X: Any) -> Any:
        """Return the release of each row of X, in order."""
        check_is_fitted(self, "design_")
        X = validate_data(self, X, dtype=None, reset=False)
        drawn = self.design_.draw(self._frame(X), uniform(self.random_state), self.handle_unknown)
        if self.output == "text":
            return np.column_stack(list(self.design_.released(drawn).values()))
        if self.output == "ordinal":
            return drawn[:, None].astype(float)
        return np.eye(self.design_.channel.n_outputs)[drawn]

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns of ``transform``."""
        check_is_fitted(self, "design_")
        names = super().get_feature_names_out(input_features)
        if self.output == "text":
            return names
        joined = "_".join(map(str, names))
        if self.output == "ordinal":
            return np.asarray([joined], dtype=object)
        return np.asarray([f"{joined}_{text}" for text in self.design_.outputs], dtype=object)

    def _frame(self, X: Any) -> pl.DataFrame:
        """Return checked values as a frame with numbered columns."""
        values = np.asarray(X)
        columns = {}
        for at in range(values.shape[1]):
            column = values[:, at]
            if column.dtype == object:
                numbers = all(isinstance(entry, int | float | np.number) for entry in column)
                columns[str(at)] = column.astype(float) if numbers else [str(entry) for entry in column]
            else:
                columns[str(at)] = column if column.dtype.kind in "biuf" else column.astype(str)
        return pl.DataFrame(columns)

    def _column(self, frame: pl.DataFrame, name: str) -> Column:
        values = frame[name]
        if not values.dtype.is_numeric() or values.n_unique() <= self.n_bins:
            return Column(name, na=(), categorical=True)
        edges = open_table(frame).quantiles(Column(name), self.n_bins)
        # an edge at the least value would leave a bin without rows
        least = float(values.cast(pl.Float64).min())  # type: ignore[arg-type]
        return Column(name, tuple(edge for edge in edges if edge > least) or (np.nextafter(least, np.inf),), na=())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.non_deterministic = self.random_state is None and self.mechanism != "subset-merging"
        return tags
