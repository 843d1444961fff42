"""A table of people, made by a process of its own."""

import numpy as np
import polars as pl


def make_table(folder: str, n: int) -> None:
    """Write a table of n people as CSV and as Parquet."""
    rng = np.random.default_rng(0)
    cells = rng.choice(120, size=n, p=rng.dirichlet(np.full(120, 0.7)))
    table = pl.DataFrame(
        {
            "id": np.arange(n),
            "diagnosis": np.array([f"diagnosis {i}" for i in range(6)])[cells // 20],
            "age_band": np.array([f"{5 * i} to {5 * i + 4}" for i in range(20)])[
                cells % 20
            ],
            "postcode": rng.integers(10000, 99999, size=n),
        }
    )
    table.write_csv(f"{folder}/in.csv")
    table.write_parquet(f"{folder}/in.parquet")
