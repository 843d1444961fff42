"""Many rows in parts on a cluster of this machine: time, peak memory a worker, and
whether the counts are exact.

``python -m benchmarks.cluster --rows 1e8`` counts, audits, sanitises and writes what is
released to Parquet, on two workers of Dask, and compares that with a plain pass that
counts, draws, shuffles and writes. The same rows are counted once more from the numbers
that they are made of, one part after another. With ``--kill`` the release is written
again while one of the workers is killed, and compared with the first, row by row.

``--sweep 4000`` finds the optima of as many random joint distributions instead, on the
workers and one after another.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
from distributed import Client, LocalCluster

import liftlib as ll
import lifttables as tables

SECRETS, SYMBOLS = 6, 40

PARTS = 40
"""Parts of a sweep."""


def codes(number: int, rows: int) -> np.ndarray:
    """Return the secrets and symbols of a part, shape (2, rows)."""
    rng = np.random.default_rng([7, number])
    p = np.random.default_rng(7).dirichlet(np.ones(SECRETS * SYMBOLS))
    at = np.searchsorted(np.cumsum(p), rng.random(rows), side="right").clip(
        max=len(p) - 1
    )
    return np.stack(np.divmod(at, SYMBOLS))


def part(number: int, rows: int) -> pd.DataFrame:
    s, x = codes(number, rows)
    columns = {"secret": (s, SECRETS), "public": (x, SYMBOLS)}
    names = {
        name: pd.array([f"{name} {i:02}" for i in range(n)], dtype="str")
        for name, (_, n) in columns.items()
    }
    return pd.DataFrame(
        {name: names[name].take(at) for name, (at, _) in columns.items()}
    )


def peak() -> float:
    """Return the largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Steps:
    """The steps of a run, with their time, the CPU time of the workers, and the largest
    memory of one so far.
    """

    def __init__(self, client: Client) -> None:
        self.client, self.found = client, {}

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        began, cpu = (
            time.perf_counter(),
            sum(self.client.run(time.process_time).values()),
        )
        yield
        self.found[what] = {
            "seconds": time.perf_counter() - began,
            "CPU": sum(self.client.run(time.process_time).values()) - cpu,
            "MB a worker": max(self.client.run(peak).values()),
        }
        print(
            f"{what}:"
            f" {', '.join(f'{value:,.1f} {unit}' for unit, value in self.found[what].items())}",  # noqa: E501
            flush=True,
        )


def plain_part(
    rows: pd.DataFrame,
    number: int,
    names: list[str],
    outputs: list[str],
    kernel: np.ndarray,
) -> pd.DataFrame:
    """Draw a part as anybody would, with a random number for each row's place."""
    rng = np.random.default_rng([8, number])
    at, chosen = (
        pd.Categorical(rows["public"], names).codes,
        np.empty(len(rows), dtype=np.int64),
    )
    for x, row in enumerate(kernel):
        here = np.flatnonzero(at == x)
        chosen[here] = np.searchsorted(
            np.cumsum(row)[:-1], rng.random(len(here)), side="right"
        )
    return pd.DataFrame(
        {
            "public": pd.array(outputs, dtype="str").take(chosen),
            "order": rng.integers(2**63, size=len(rows)),
        }
    )


def in_order(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.sort_values("order").drop(columns="order")


def plain(
    frame: dd.DataFrame, design: tables.Design, folder: Path, steps: Steps
) -> None:
    """Count, draw, shuffle and write with Dask, pandas and numpy alone."""
    with steps.step("plain: count"):
        frame.groupby(["secret", "public"]).size().compute()
    names, outputs = [label[0] for label in design.public.labels], list(design.outputs)
    meta = pd.DataFrame(
        {"public": pd.array([], dtype="str"), "order": np.array([], dtype=np.int64)}
    )
    parts = [
        dask.delayed(plain_part)(rows, number, names, outputs, design.channel.kernel)
        for number, rows in enumerate(frame.to_delayed())
    ]
    drawn = dd.from_delayed(parts, meta=meta, verify_meta=False).shuffle(on="order")
    with steps.step("plain: release, shuffled, to Parquet"):
        drawn.map_partitions(in_order, meta=meta[["public"]]).to_parquet(
            folder, write_index=False
        )


def killed(frame: dd.DataFrame, folder: Path, client: Client) -> None:
    """Write a release once more, and kill a worker when a first part of it is there."""
    first = next(iter(client.run(os.getpid).values()))
    future = client.compute(frame.to_parquet(folder, write_index=False, compute=False))
    while not any(folder.glob("*.parquet")):
        time.sleep(0.01)
    assert not future.done()
    os.kill(first, signal.SIGKILL)
    future.result()
    assert first not in client.run(os.getpid).values()


def alike(first: Path, second: Path) -> bool:
    """Return whether two releases have the same rows in the same places."""
    files = sorted(file.name for file in first.glob("*.parquet"))
    return files == sorted(file.name for file in second.glob("*.parquet")) and all(
        pl.read_parquet(first / name).equals(pl.read_parquet(second / name))
        for name in files
    )


@contextmanager
def two_workers() -> Iterator[tuple[Client, Path]]:
    """Start two workers with a temporary folder, which are stopped at the end."""
    with (
        tempfile.TemporaryDirectory(prefix="lift-cluster-") as name,
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=":0",
            local_directory=name,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client, Path(name)


def optima(number: int, joints: int) -> list[float]:
    """Return the optima of a part of a sweep: LIP(0.5), to 1 %, 5 x 17."""
    p = ll.datasets.uniform_joints(joints, 5, 17, np.random.default_rng([9, number]))
    found = (
        ll.mechanisms.optimal(ll.Joint(one), ll.LIP(0.5), method="tree", gap=1e-2)
        for one in p
    )
    return [channel.certificate.value for channel in found]


def sweep(joints: int) -> None:
    """Find optima on two workers, and one after another."""
    sizes = [len(part) for part in np.array_split(np.arange(joints), PARTS)]
    with two_workers() as (client, _):
        client.run(optima, 0, 1)  # imports the library
        began = time.perf_counter()
        spread = client.gather(client.map(optima, range(PARTS), sizes))
        workers = time.perf_counter() - began
    optima(0, 1)
    began = time.perf_counter()
    same = spread == [optima(number, size) for number, size in enumerate(sizes)]
    alone = time.perf_counter() - began
    print(
        f"{joints:,} optima: {workers:.1f} s on two workers, {alone:.1f} s one after"
        f" another, {alone / workers:.2f} times; equal results: {same}"
    )


def run(rows: int, rows_a_part: int, *, merge: bool, kill: bool) -> None:
    parts = -(-rows // rows_a_part)
    sizes = [min(rows_a_part, rows - rows_a_part * number) for number in range(parts)]
    with two_workers() as (client, folder):
        steps = Steps(client)
        frame = dd.from_map(part, range(parts), sizes, meta=part(0, 1).head(0))
        with steps.step("count"):
            counts = tables.Reading("secret", "public").counts(tables.open_table(frame))
        with steps.step("sanitise"):
            sanitised = tables.sanitise(
                frame, secret="secret", public="public", notion=ll.LIP(2.0), merge=merge
            )
        with steps.step("release, shuffled, to Parquet"):
            sanitised.frame.to_parquet(folder / "released", write_index=False)
        plain(frame, sanitised.design, folder / "plain", steps)
        for unit in ("seconds", "CPU"):
            ours, theirs = (
                sum(
                    steps.found[f"{of}{what}"][unit]
                    for what in (first, "release, shuffled, to Parquet")
                )
                for of, first in (("", "sanitise"), ("plain: ", "count"))
            )
            print(
                f"sanitise and release take {ours / theirs:.2f} times the {unit} of a"
                " plain pass",
                flush=True,
            )
        out = (
            pl.scan_parquet(folder / "released/*.parquet")
            .group_by("public")
            .len()
            .collect()
        )
        size = sum(
            file.stat().st_size for file in (folder / "released").glob("*.parquet")
        )
        if kill:
            killed(sanitised.frame, folder / "again", client)
            same = alike(folder / "released", folder / "again")
            print(
                "with one of the workers killed midway, the same rows in the same"
                f" places: {same}",
                flush=True,
            )
    here = np.zeros(SECRETS * SYMBOLS)
    for number, n in enumerate(sizes):
        here += np.bincount(
            np.array([SYMBOLS, 1]) @ codes(number, n), minlength=here.size
        )
    exact = bool((counts.table.ravel() == here).all())
    print(
        f"counts are exactly those of one machine: {exact}, {int(counts.table.sum()):,}"
        " rows"
    )
    expected = sanitised.design.table.sum(axis=0) @ sanitised.design.channel.kernel
    observed = dict(out.iter_rows())
    apart = max(
        abs(observed[y] - n) / max(1, n) ** 0.5
        for y, n in zip(sanitised.design.outputs, expected, strict=True)
    )
    print(
        f"released {sum(observed.values()):,} rows, {size / 1e6:.0f} MB; outputs are at"
        f" most {apart:.1f} root(n) from n"
    )
    print(f"{len(expected)} outputs; the driver's peak: {peak():.0f} MB")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=float, default=1e7)
    options.add_argument("--part", type=float, default=1e6, help="rows of a part")
    options.add_argument("--merge", action="store_true")
    options.add_argument(
        "--kill",
        action="store_true",
        help="release once more, and kill a worker midway",
    )
    options.add_argument(
        "--sweep", type=float, help="compute this many optima instead of releasing rows"
    )
    given = options.parse_args()
    if given.sweep:
        sweep(int(given.sweep))
        return
    run(int(given.rows), int(given.part), merge=given.merge, kill=given.kill)


if __name__ == "__main__":
    main()
