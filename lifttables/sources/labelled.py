"""Tables of Stata and SPSS, whose values are codes with labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import narwhals as nw
import polars as pl

from liftlib.errors import DataError
from lifttables.extras import extra
from lifttables.sources.polars_rows import polars_of

LABELLED_SUFFIXES = (".dta", ".sav", ".zsav")  # of Stata and SPSS, in any case


def is_labelled(path: Path) -> bool:
    """Return whether a file name has an extension of Stata or SPSS."""
    return path.suffix.lower() in LABELLED_SUFFIXES


def read_labelled(path: Path) -> pl.DataFrame:
    """Return a Stata or SPSS table with value labels in place of codes.

    Codes without a label are kept, as text if others in the column have labels. Declared missing values and empty texts
    are missing. Raises MissingExtra without pyreadstat, and DataError if the file cannot be read.
    """
    with extra("labelled"):
        import pyreadstat  # noqa: PLC0415 - an optional package
    read = pyreadstat.read_dta if path.suffix.lower() == ".dta" else pyreadstat.read_sav
    try:
        frame, meta = read(str(path))
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, ValueError) as error:
        raise DataError(f"cannot read {path}: {str(error).splitlines()[0]}; check the file") from error
    table = polars_of(nw.from_native(frame, eager_only=True))
    labels: Mapping[str, Mapping[object, str]] = meta.variable_value_labels
    return table.select(_decoded(table[name], labels.get(name, {})) for name in table.columns)


def _decoded(values: pl.Series, labels: Mapping[object, str]) -> pl.Series:
    """Return the labels of a column, or its values if it has none."""
    if values.dtype.is_float() and bool((values.drop_nulls() % 1 == 0).all()):  # SPSS has no integers
        values = values.cast(pl.Int64)
    if values.dtype == pl.String:
        values = pl.select(pl.when(values != "").then(values)).to_series().alias(values.name)
    if not labels:
        return values
    texts = label_texts(labels, set(values.drop_nulls().unique().to_list()))
    known = [None if code is None else texts.get(code, str(code)) for code in values.to_list()]
    return pl.Series(values.name, known, dtype=pl.String)


def label_texts(labels: Mapping[object, str], codes: set[object]) -> dict[object, str]:
    """Return a unique text for each labelled code; ambiguous labels get the code.

    >>> label_texts({1: "yes", 2: "other", 9: "other"}, {1, 2, 3, 9})
    {1: 'yes', 2: 'other [2]', 9: 'other [9]'}
    """
    often = Counter([*labels.values(), *(str(code) for code in codes if code not in labels)])
    shown = {code: repr(code).removesuffix(".0") if isinstance(code, float) else str(code) for code in labels}
    return {code: text if often[text] == 1 else f"{text} [{shown[code]}]" for code, text in labels.items()}
