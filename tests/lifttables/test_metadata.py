"""A released frame carries nothing of its source but the published columns."""

import math

import dask.dataframe
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from table_of_people import PEOPLE

import liftlib as ll
import lifttables as tables

OF = {"secret": "ill", "public": "age", "resamples": 0, "confidence": None}
pytestmark = pytest.mark.filterwarnings("ignore")  # of a design without a confidence


def arrow():
    table = pa.Table.from_pandas(pandas())
    fields = [field.with_metadata({"about": "ill: hiv"}) for field in table.schema]
    return pa.Table.from_arrays(table.columns, schema=pa.schema(fields, {**table.schema.metadata, "mine": "of ill"}))


def pandas():
    frame = pd.DataFrame(PEOPLE.to_dict(as_series=False))
    frame["town"] = pd.Categorical(["North", "South"] * 60, ["North", "South", "hiv clinic"])  # which no row has
    frame.attrs["secrets"] = ["hiv"]
    return frame


def releases(frame, keep, **more):
    done = tables.sanitise(frame, **OF, notion=ll.ALIP(math.inf, 5.0), keep=keep, **more)
    yield done.frame
    yield tables.apply(frame, done.design, **more).frame


@pytest.mark.parametrize("keep", [[], ["town"]])
def test_arrow(keep):
    for frame in releases(arrow(), keep):
        assert isinstance(frame, pa.Table)
        assert frame.column_names == ["age", *keep]
        assert frame.schema.metadata is None
        assert [field.metadata for field in frame.schema] == [None] * len(frame.schema)
        if keep:
            assert not pa.types.is_dictionary(frame.schema.field("town").type)
            assert sorted(frame["town"].to_pylist()) == ["North"] * 60 + ["South"] * 60
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, frame.schema) as stream:
            stream.write_table(frame)
        assert b"hiv" not in sink.getvalue().to_pybytes()
        assert b"ill" not in sink.getvalue().to_pybytes()


@pytest.mark.parametrize("keep", [[], ["town"]])
def test_pandas(keep):
    source = pandas()
    for frame in releases(source, keep):
        assert list(frame.columns) == ["age", *keep]
        assert frame.attrs == {}
        assert all(frame[name].attrs == {} for name in frame)
        assert not any(isinstance(kind, pd.CategoricalDtype) for kind in frame.dtypes)
    assert source.attrs == {"secrets": ["hiv"]}


def test_dask():
    for frame in releases(dask.dataframe.from_pandas(pandas(), npartitions=2), ["town"]):
        assert frame._meta.attrs == {}
        assert frame.compute().attrs == {}
        assert not isinstance(frame.dtypes["town"], pd.CategoricalDtype)
        assert dict(frame.compute().dtypes) == dict(frame.dtypes)


@pytest.mark.parametrize("kind", [pl.Enum(["North", "South", "hiv clinic"]), pl.Categorical])
def test_parquet(tmp_path, kind):
    frame = pl.DataFrame({"ill": PEOPLE["ill"], "age": PEOPLE["age"], "town": ["North", "South", "hiv clinic"] * 40})
    frame = frame.with_columns(pl.col("town").cast(kind)).filter(pl.col("town") != "hiv clinic")
    frame.write_parquet(tmp_path / "in.parquet")
    plan = tables.Plan(
        tables.Reading("ill", "age"), ll.ALIP(math.inf, 5.0), confidence=None, keep=("town",), resamples=0
    )
    tables.sanitise_file(tmp_path / "in.parquet", tables.Outputs.next_to(tmp_path / "out.parquet"), plan)
    assert pl.read_parquet(tmp_path / "out.parquet").schema["town"] == pl.String
    assert b"hiv clinic" not in (tmp_path / "out.parquet").read_bytes()
