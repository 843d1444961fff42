"""A small table, in a file and as a frame of each library."""

import numpy as np
import pandas as pd
import polars as pl

from lifttables.encoding.columns import Column, Counts, Symbols
from lifttables.encoding.reading import Reading
from lifttables.sources.source import open_table

ILL = ["flu", "flu", "none", "none", "none", "rare"] * 20
AGE = ["old", "young", "young", "young", "old", "old"] * 20
PEOPLE = pl.DataFrame({"name": [f"p{i}" for i in range(120)], "ill": ILL, "age": AGE})


def counted(table, secrets=None, symbols=None, chosen=0.0):
    """Return counts of one secret column and one public one."""
    table = np.array(table, dtype=float)
    named = zip("sx", (secrets, symbols), table.shape, strict=True)
    of = [
        (
            Symbols.numbered(name, n)
            if labels is None
            else Symbols((Column(name),), tuple((one,) for one in labels))
        )
        for name, labels, n in named
    ]
    return Counts(table, *of, chosen)


def counts_of(source, *columns, **words):
    """Return the counts of a file or a frame, read as the words say."""
    return Reading(*columns, **words).counts(open_table(source))


def patients(n, seed=0, towns=("north", "south", "east", "west")):
    """Draw a table in which nothing depends on anything."""
    rng = np.random.default_rng(seed)
    ill = rng.choice(["flu", "asthma", "none"], n, p=[0.3, 0.3, 0.4])
    return pl.DataFrame(
        {"ill": ill, "town": rng.choice(towns, n), "age": rng.integers(18, 80, n)}
    )


def rows_drawn(p, n, rng):
    """Draw a table of n rows from a law P(s, x)."""
    cells = rng.choice(p.size, n, p=p.ravel() / p.sum())
    secret, public = np.divmod(cells, p.shape[1])
    return pl.DataFrame(
        {"s": [f"s{at}" for at in secret], "x": [f"x{at}" for at in public]}
    )


def people_written(folder, name="people.csv", table=PEOPLE):
    path = folder / name
    if path.suffix == ".parquet":
        table.write_parquet(path)
    else:
        table.write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
    return path


def frames():
    pandas = PEOPLE.to_dict(as_series=False)
    yield "polars", lambda: PEOPLE
    yield "polars lazy", PEOPLE.lazy
    yield "pandas", lambda: pd.DataFrame(pandas, index=range(1000, 1120))
    yield "pyarrow", PEOPLE.to_arrow
    yield "duckdb", _duckdb
    yield "dask", _dask


def _duckdb():
    import duckdb

    arrow = PEOPLE.to_arrow()  # noqa: F841 - named in the query
    return duckdb.sql("select * from arrow")


def _dask():
    import dask.dataframe

    return dask.dataframe.from_pandas(
        pd.DataFrame(PEOPLE.to_dict(as_series=False)), npartitions=3
    )


def words_of(text):
    """Return the number of words of a text, without the signs of Markdown."""
    return sum(any(map(str.isalnum, word)) for word in text.split())
