"""The values stored in ``data/ledger.csv``, by call and seed."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

from liftbook.claims.judging import Value, parse
from liftlib.resources import resource


def ledger_file() -> Path:
    """Return the path of ``data/ledger.csv``."""
    return resource("data/claims.csv").with_name("ledger.csv")


def stored_rows() -> list[dict[str, str]]:
    """Return the rows of ``data/ledger.csv``."""
    with ledger_file().open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def stored_by_seed() -> dict[str, dict[int, Value]]:
    """Return the values of each call by seed, with seeds in ascending order."""
    values: dict[str, dict[int, Value]] = defaultdict(dict)
    for row in sorted(stored_rows(), key=lambda row: int(row["seed"])):
        values[row["call"]][int(row["seed"])] = parse(row["value"])
    return dict(values)


def stored_values() -> dict[str, list[Value]]:
    """Return the values of each call, in ascending order of the seed."""
    return {call: list(values.values()) for call, values in stored_by_seed().items()}
