"""Many rows in parts on a cluster of this machine: time, peak memory a worker, and whether the counts are exact.

``python -m benchmarks.cluster --rows 1e8`` counts, audits, sanitises and writes what is released to Parquet, on two
workers of Dask. The same rows are counted once more from the numbers that they are made of, one part after another.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
from distributed import Client, LocalCluster

import liftlib as ll
import lifttables as tables

SECRETS, SYMBOLS = 6, 40


def codes(number: int, rows: int) -> np.ndarray:
    """Return the secrets and symbols of a part, shape (2, rows)."""
    rng = np.random.default_rng([7, number])
    p = np.random.default_rng(7).dirichlet(np.ones(SECRETS * SYMBOLS))
    at = np.searchsorted(np.cumsum(p), rng.random(rows), side="right").clip(max=len(p) - 1)
    return np.stack(np.divmod(at, SYMBOLS))


def part(number: int, rows: int) -> pd.DataFrame:
    s, x = codes(number, rows)
    columns = {"secret": (s, SECRETS), "public": (x, SYMBOLS)}
    names = {name: pd.array([f"{name} {i:02}" for i in range(n)], dtype="str") for name, (_, n) in columns.items()}
    return pd.DataFrame({name: names[name].take(at) for name, (at, _) in columns.items()})


def peak() -> float:
    """Return the largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(rows: int, rows_a_part: int, mechanism: str) -> pd.DataFrame:
    parts = -(-rows // rows_a_part)
    sizes = [min(rows_a_part, rows - rows_a_part * number) for number in range(parts)]
    found = []
    with (
        tempfile.TemporaryDirectory(prefix="lift-cluster-") as folder,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", local_directory=folder) as cluster,
        Client(cluster) as client,
    ):
        frame = dd.from_map(part, range(parts), sizes, meta=part(0, 1).head(0))

        def done(what: str, since: float) -> None:
            memory = max(client.run(peak).values())
            found.append({"step": what, "seconds": round(time.perf_counter() - since, 1), "MB a worker": round(memory)})
            print(found[-1], flush=True)

        began = time.perf_counter()
        counts = tables.Reading("secret", "public").counts(tables.open_table(frame))
        done("count", began)
        began = time.perf_counter()
        made = tables.sanitise(
            frame, secret="secret", public="public", notion=ll.LIP(2.0), mechanism=mechanism, resamples=0
        )
        done("sanitise", began)
        began = time.perf_counter()
        made.frame.to_parquet(f"{folder}/released", write_index=False)
        done("release, shuffled, to Parquet", began)
        out = pl.scan_parquet(f"{folder}/released/*.parquet").group_by("public").len().collect()
        size = sum(file.stat().st_size for file in Path(folder, "released").glob("*.parquet"))
    here = np.zeros((SECRETS, SYMBOLS))
    for number, n in enumerate(sizes):
        here += np.bincount(codes(number, n)[0] * SYMBOLS + codes(number, n)[1], minlength=here.size).reshape(
            here.shape
        )
    alike = bool((counts.table == here).all())
    print(f"counts are exactly those of one machine: {alike}, {int(counts.table.sum()):,} rows")
    expected = made.design.table.sum(axis=0) @ made.design.channel.kernel
    observed = dict(out.iter_rows())
    apart = max(
        abs(observed[name] - n) / max(1, n) ** 0.5 for name, n in zip(made.design.outputs, expected, strict=True)
    )
    print(
        f"released {sum(observed.values()):,} rows, {size / 1e6:.0f} MB; outputs are at most {apart:.1f} root(n) from n"
    )
    print(f"{len(expected)} outputs; the driver's peak: {peak():.0f} MB")
    return pd.DataFrame(found)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=float, default=1e7)
    options.add_argument("--part", type=float, default=1e6, help="rows of a part")
    options.add_argument("--mechanism", default="randomised-response")
    given = options.parse_args()
    run(int(given.rows), int(given.part), given.mechanism)


if __name__ == "__main__":
    main()
