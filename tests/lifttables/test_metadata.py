"""A released frame carries nothing of its source but the published columns."""

import math

import dask.dataframe
import pandas as pd
import pyarrow as pa
from table_of_people import PEOPLE

import liftlib as ll
import lifttables as tables

OF = {"secret": "ill", "public": "age"}


def arrow():
    table = pa.Table.from_pandas(pandas())
    fields = [field.with_metadata({"about": "ill: hiv"}) for field in table.schema]
    return pa.Table.from_arrays(
        table.columns,
        schema=pa.schema(fields, {**table.schema.metadata, "mine": "of ill"}),
    )


def pandas():
    frame = pd.DataFrame(PEOPLE.to_dict(as_series=False))
    # which no row has
    frame["town"] = pd.Categorical(
        ["North", "South"] * 60, ["North", "South", "hiv clinic"]
    )
    frame.attrs["secrets"] = ["hiv"]
    return frame


def both_releases(frame):
    # a design that was made with a seed does not know its own rows
    done = tables.sanitise(frame, **OF, notion=ll.ALIP(math.inf, 5.0), rng=1)
    yield done.frame
    yield tables.apply(frame, done.design).frame


def test_arrow():
    for frame in both_releases(arrow()):
        assert isinstance(frame, pa.Table)
        assert frame.column_names == ["age"]
        assert frame.schema.metadata is None
        assert [field.metadata for field in frame.schema] == [None] * len(frame.schema)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, frame.schema) as stream:
            stream.write_table(frame)
        assert b"hiv" not in sink.getvalue().to_pybytes()
        assert b"ill" not in sink.getvalue().to_pybytes()


def test_pandas():
    source = pandas()
    for frame in both_releases(source):
        assert list(frame.columns) == ["age"]
        assert frame.attrs == {}
        assert all(frame[name].attrs == {} for name in frame)
        assert not any(isinstance(kind, pd.CategoricalDtype) for kind in frame.dtypes)
    assert source.attrs == {"secrets": ["hiv"]}


def test_dask():
    for frame in both_releases(dask.dataframe.from_pandas(pandas(), npartitions=2)):
        assert frame._meta.attrs == {}
        assert frame.compute().attrs == {}
        assert dict(frame.compute().dtypes) == dict(frame.dtypes)
