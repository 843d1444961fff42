"""Frames on a cluster."""

import os
import signal
import time
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from messages import raised
from scipy import stats
from table_of_people import counts_of

import liftlib as ll
import lifttables as tables
from liftlib.errors import DataError
from lifttables.encoding.columns import ROWS, Column, Symbols
from lifttables.encoding.reading import Reading
from lifttables.sources.distributed import ORDER_COLUMN, _released_part
from lifttables.sources.randomness import Stream, generator, key_of, uniform

dd = pytest.importorskip("dask.dataframe")


def table(n=3000, seed=0):
    """Rows with a number of each, texts, numbers, dates and gaps."""
    rng = np.random.default_rng(seed)
    ill = rng.choice(["flu", "none", "rare"], n, p=[0.4, 0.5, 0.1])
    age = np.where(rng.random(n) < 0.3, ill, rng.choice(["old", "mid", "new"], n))
    age = np.select(
        [age == "flu", age == "none", age == "rare"], ["old", "mid", "new"], age
    )
    pay = rng.lognormal(3, 1, n) * rng.choice([-1, 1], n)
    pay[::17] = np.nan
    return pd.DataFrame(
        {
            "id": np.arange(n),
            "ill": ill,
            "age": age,
            "pay": pay,
            "dose": rng.poisson(3, n),
            "seen": (
                pd.Timestamp("2020-01-01")
                + pd.to_timedelta(rng.integers(0, 900, n), "D")
            ),
            "gap": pd.array(np.where(rng.random(n) < 0.1, None, age), dtype="object"),
        }
    )


READINGS = [
    Reading("ill", "age"),
    Reading("ill", ("age", "dose"), rare="pool"),
    Reading("ill", "gap", missing="symbol"),
    Reading("ill", "pay", bins=("pay=-3.5,0,20",), missing="symbol"),
    Reading("ill", "seen", bins=("seen=quarter",)),
    Reading("ill", "seen", bins=("seen=2021-01-01,2022-01-01",)),
    Reading(("ill", "age"), "dose", rare="pool", categorical=("dose",)),
]


def assert_counted_alike(frame, one):
    for reading in READINGS:
        here, there = (
            reading.counts(tables.open_table(source)) for source in (one, frame)
        )
        assert here.public == there.public, reading
        assert here.secret == there.secret, reading
        assert (here.table == there.table).all(), reading
        assert here.chosen == there.chosen, reading


@pytest.mark.parametrize("parts", [3, 12])
def test_dask_counts_what_one_machine_counts(parts):
    one = table()
    assert_counted_alike(dd.from_pandas(one, npartitions=parts), one)


OF = {"secret": "ill", "public": "age", "notion": ll.LIP(0.4)}


@cache
def design_of_table():
    return tables.sanitise(table(), **OF, noise=1.0, rng=3).design


def released_by_number(frame, one, *, rng=3):
    """Return the released rows of a frame, in which each has its number; ``one`` has
    its rows on one machine.
    """
    made = design_of_table()
    kernel = made.channel.kernel[made.public.codes(one)]
    n, m = kernel.shape
    numbers = [str(number) for number in one["id"]]
    numbered = replace(
        made,
        public=Symbols(
            (Column("id"), *made.public.columns),
            tuple(zip(numbers, one["age"], strict=True)),
        ),
        channel=ll.Channel(
            (np.eye(n)[:, :, None] * kernel[:, None, :]).reshape(n, n * m)
        ),
        texts=tuple((number, *texts) for number in numbers for texts in made.texts),
        sources=tuple((x,) for x in range(n) for _ in range(m)),
        table=np.ones((len(made.secret.labels), n)),
    )
    return tables.open_table(frame).release(numbered, uniform(rng))


def assert_follows_the_channel(found, one):
    """Each row once, released as its symbol's row of the kernel says."""
    assert list(found.columns) == ["id", "age"]
    found = found.assign(id=found["id"].astype(int))
    assert sorted(found["id"]) == list(one["id"])
    joined = one.merge(found, on="id", suffixes=("", "_released"))
    names, outputs = (
        [label[0] for label in design_of_table().public.labels],
        list(design_of_table().outputs),
    )
    observed = (
        pd.crosstab(joined["age"], joined["age_released"])
        .reindex(index=names, columns=outputs)
        .to_numpy()
    )
    kernel = design_of_table().channel.kernel
    assert ((kernel > 0).sum(axis=1) > 1).all()  # each symbol's output is random
    # exact for a cell of few rows too; each of the cells has an equal part of the error
    # of 1e-6
    for x, y in np.ndindex(*kernel.shape):
        tested = stats.binomtest(
            int(observed[x, y]), int(observed[x].sum()), kernel[x, y]
        )
        assert tested.pvalue > 1e-6 / kernel.size


def test_dask_releases_lazily_and_the_same_each_time():
    one = table(600)
    frame = dd.from_pandas(one, npartitions=7)
    lazy = released_by_number(frame, one)
    assert isinstance(lazy, dd.DataFrame)
    first, second = lazy.compute(), lazy.compute()
    pd.testing.assert_frame_equal(first, second)
    assert_follows_the_channel(first, one)
    # each part's numbers start anew, so that the index says nothing of the source's
    # order
    for part in lazy.partitions:
        assert list(part.compute().index) == list(range(len(part)))
    changed = first.merge(released_by_number(frame, one, rng=4).compute(), on="id")
    assert 0.05 < (changed["age_x"] != changed["age_y"]).mean() < 0.95
    # the owner's own generator is a source too
    own, again = (
        released_by_number(frame, one, rng=generator(3)).compute() for _ in range(2)
    )
    assert own.equals(again)


@pytest.mark.parametrize("merge", [False, True])
def test_dask_publishes_the_card_of_one_machine(merge):
    """Kernel, labels, promise and estimates are those of the same counts and key; the
    rows follow the same kernel.
    """
    one, words = table(), {**OF, "notion": ll.LIP(1.5), "merge": merge}
    here = tables.sanitise(one, **words)
    there = tables.sanitise(dd.from_pandas(one, npartitions=5), **words)
    own = ("made", "digest", "sha256")
    first, second = (
        {k: v for k, v in done.card.as_dict().items() if k not in own}
        for done in (here, there)
    )
    assert first == second
    assert here.design.content() == there.design.content()
    drawn = [
        pd.Series(frame["age"]).value_counts()
        for frame in (here.frame, there.frame.compute())
    ]
    assert drawn[0].index.sort_values().equals(drawn[1].index.sort_values())
    if merge:  # without random draws
        assert drawn[0].sort_index().tolist() == drawn[1].sort_index().tolist()


def test_a_part_that_is_computed_again_draws_the_same():
    """Alone, with others, or after a filter that comes later: a row has one release."""
    one = table(600)
    lazy = released_by_number(dd.from_pandas(one, npartitions=5), one)
    whole = lazy.compute()
    assert sorted(whole["id"].astype(int)) == list(one["id"])
    for at in (4, 0, 2):
        part = lazy.partitions[at].compute()
        assert (
            part["age"].tolist()
            == whole.set_index("id").loc[part["id"], "age"].tolist()
        )
    later = lazy[lazy["id"].str.endswith("7")].compute()
    assert (
        later["age"].tolist() == whole.set_index("id").loc[later["id"], "age"].tolist()
    )


def test_rows_come_in_an_order_that_says_nothing():
    """The source is sorted by the secret; where a row stands says nothing of it."""
    one = table(600).sort_values("ill", ignore_index=True).assign(id=range(600))
    lazy = released_by_number(dd.from_pandas(one, npartitions=6), one)
    ids = lazy.compute()["id"].astype(int).to_numpy()
    assert abs(stats.spearmanr(ids, np.arange(600)).statistic) < 0.15
    parts = [part["id"].compute().astype(int) for part in lazy.partitions]
    assert min(np.std(part) for part in parts) > 120


def test_the_order_of_rows_is_independent_of_their_draws():
    made = design_of_table()
    columns = made.public.names
    part = _released_part(table(), 0, made, bytes(32), columns=columns)
    outputs = [made.outputs.index(text) for text in part[columns[0]]]
    order = part[ORDER_COLUMN].to_numpy().view(np.uint64)
    assert abs(stats.spearmanr(outputs, order).statistic) < 0.1


def test_nothing_but_counts_is_fetched_from_dask():
    """Whatever a scheduler hands back is a table of counts, or a number."""
    import dask

    fetched = []

    def recording(graph, keys, **more):
        found = dask.get(graph, keys, **more)
        flat = [found]
        while any(isinstance(one, list | tuple) for one in flat):
            flat = [
                part
                for one in flat
                for part in (one if isinstance(one, list | tuple) else [one])
            ]
        fetched.extend(flat)
        return found

    one = table()
    frame = dd.from_pandas(one, npartitions=7)
    with dask.config.set(scheduler=recording):
        words = {
            **OF,
            "public": ["age", "pay"],
            "notion": ll.ALIP(np.inf, 5.0),
            "missing": "symbol",
        }
        done = tables.sanitise(frame, **words, bins=["pay=0,20"], rng=3)
        tables.audit(frame, secret="ill", public="age", notion=ll.LIP(1), resamples=0)
        tables.apply(frame, done.design, rng=1)  # they are the design's own rows
    assert fetched
    for part in fetched:
        if isinstance(part, pl.DataFrame):
            assert part.columns[-1] == ROWS
            assert len(part) < len(one) / 5
        else:
            assert np.ndim(getattr(part, "values", part)) <= 2
            assert np.size(part) == 1


def test_apply_on_dask_as_on_one_machine():
    # which new rows keep too
    made, new = replace(design_of_table(), promise=ll.LIP(0.5)), table(seed=1)
    done = tables.apply(dd.from_pandas(new, npartitions=4), made, rng=5)
    assert isinstance(done.frame, dd.DataFrame)
    assert done.card.rows == len(new)
    found = done.frame.compute()
    assert (list(found.columns), len(found)) == (["age"], len(new))
    odd = new.assign(age=new["age"].where(new["id"] != 7, "martian"))
    with raised(DataError):
        tables.apply(dd.from_pandas(odd, npartitions=4), made)


def test_what_is_wrong_on_a_worker_is_said_in_a_line():
    one = table()
    # the values in its words are those of the part that fails first
    with pytest.raises(DataError) as caught:
        counts_of(dd.from_pandas(one, npartitions=3), "ill", "age", bins=("age=1,2",))
    assert "\n" not in str(caught.value)
    with raised(DataError):
        counts_of(dd.from_pandas(one.head(0), npartitions=1), "ill", "age")
    with raised(DataError):
        counts_of(dd.from_pandas(one, npartitions=3), "ill", "aeg")


def test_empty_parts_are_nothing():
    one = table()
    frame = dd.from_pandas(one, npartitions=9)
    frame = frame[frame["id"] > 2000]
    assert_counted_alike(frame, one[one["id"] > 2000])
    found = tables.apply(
        frame, replace(design_of_table(), promise=ll.LIP(5.0)), rng=1
    ).frame.compute()
    assert len(found) == 999


def test_streams_are_uniform_and_apart():
    key = key_of(generator(0))
    one, other, third = (
        Stream(key, 0).random(100_000),
        Stream(key, 1).random(100_000),
        Stream(key, 0, 0).random(100_000),
    )
    for numbers in (one, other, third):
        assert stats.kstest(numbers, "uniform").pvalue > 1e-6
        assert numbers.max() < 1
    for a, b in ((one, other), (one, third), (one[1:], one[:-1])):
        assert abs(np.corrcoef(a, b)[0, 1]) < 0.02
    parts = Stream(key, 0)
    together = np.concatenate(
        [parts.random(n) for n in (0, 1, 65_535, 1, 30_000, 4_463)]
    )
    assert (together == one).all()


def _slow_part(number, folder, wait):
    """A part of the table that takes its time; a file says that somebody began."""
    (folder / f"{number}-{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(wait)
    return table(400, seed=number).assign(id=lambda part: part["id"] + 400 * number)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of a cluster that loses a worker
def test_a_killed_worker_loses_nothing_and_draws_nothing_twice(tmp_path):
    from distributed import Client, LocalCluster

    calm = dd.from_map(
        _slow_part, range(24), folder=tmp_path, wait=0, meta=table(1).head(0)
    )
    words = {**OF, "rng": 3}
    done = tables.sanitise(calm, **words)
    wanted = done.frame.compute(scheduler="sync")
    slow = dd.from_map(
        _slow_part, range(24), folder=tmp_path, wait=0.4, meta=table(1).head(0)
    )
    options = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "dashboard_address": ":0",
        "local_directory": tmp_path / "aside",
    }
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        again = tables.sanitise(slow, **words)
        assert (again.design.table == done.design.table).all()
        for mark in tmp_path.glob("*-*-*"):
            mark.unlink()
        first, second = (
            worker["pid"]
            for worker in client.run(lambda: {"pid": os.getpid()}).values()
        )
        future = client.compute(again.frame)
        while len(begun := list(tmp_path.glob("*-*-*"))) < 8:
            time.sleep(0.05)
        assert not future.done()
        os.kill(first, signal.SIGKILL)
        found = future.result(timeout=120)
        every = [mark.name.split("-") for mark in tmp_path.glob("*-*-*")]
    assert any(
        int(pid) == first for _, pid, _ in (mark.name.split("-") for mark in begun)
    )
    # parts of the killed worker began again, at another
    assert len(every) > 24
    assert len({number for number, *_ in every}) == 24
    assert {int(pid) for _, pid, _ in every} > {second}
    pd.testing.assert_frame_equal(found, wanted)
