"""`lift audit` and `lift sanitise` on Parquet, against a plain Polars pass over the same rows."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from multiprocessing import get_context

import pandas as pd

from benchmarks.people import make_table

PLAIN_PASS = """
import sys
import numpy as np
import polars as pl
rows = pl.scan_parquet(sys.argv[1])
counts = rows.group_by("diagnosis", "age_band").agg(pl.len()).collect(engine="streaming")
labels = counts["age_band"].unique().sort()
codes = rows.select(pl.col("age_band").replace_strict(labels, list(range(len(labels))), return_dtype=pl.UInt8))
codes = codes.collect(engine="streaming")["age_band"].to_numpy()
rng = np.random.default_rng()
drawn = np.where(rng.random(len(codes)) < 0.5, codes, rng.integers(0, len(labels), len(codes), dtype=np.uint8))
out = labels.gather(pl.Series(drawn[rng.permutation(len(drawn))]))
out.alias("age_band").to_frame().write_parquet(sys.argv[2])
"""
"""Counts, draws, shuffles and writes one column."""

OPTIONS = ["--secret", "diagnosis", "--public", "age_band", "--notion", "alip", "--eps-l", "1", "--eps-u", "0.5"]


def passes(quick: bool) -> pd.DataFrame:
    """Processor seconds and peak memory of a plain Polars pass, an audit and a release; 6 secrets x 20 symbols."""
    n = 10**4 if quick else 10**7
    with tempfile.TemporaryDirectory() as folder:
        # by a process of its own: a child's peak memory counts what its parent held when it started
        maker = get_context("spawn").Process(target=make_table, args=(folder, n))
        maker.start()
        maker.join()
        source, lift = f"{folder}/in.parquet", [sys.executable, "-m", "lifttables"]
        commands = {
            "start only": [*lift, "audit", "--help"],
            "plain pass": [sys.executable, "-c", PLAIN_PASS, source, f"{folder}/plain.parquet"],
            "audit": [*lift, "audit", source, *OPTIONS],
            "sanitise": [*lift, "sanitise", source, *OPTIONS, "--ledger", "none", "-o", f"{folder}/out.parquet"],
        }
        rows = [{"rows": n, "what": name} | _measured(words) for name, words in commands.items()]
    table = pd.DataFrame(rows)
    return table.assign(ratio=table["processor seconds"] / table["processor seconds"][1])


def _measured(words: list[str]) -> dict[str, float]:
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 3), words  # 3: the table itself breaks the notion
    return {"processor seconds": used.ru_utime + used.ru_stime, "peak MB": used.ru_maxrss / 1024}
