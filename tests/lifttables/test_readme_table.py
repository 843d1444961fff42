"""The table of use in the README is that of the stored releases."""

import csv
import re

from asked import ROOT


def test_the_numbers_are_the_stored_ones():
    with (ROOT / "data" / "use.csv").open(encoding="utf-8") as file:
        lines = [line for line in csv.DictReader(file) if line["default"] == "True"]
    stored = {
        (line["law"], int(line["rows"])): float(line["retained"]) for line in lines
    }
    text = (ROOT / "lifttables" / "README.md").read_text(encoding="utf-8")
    laws = {law for law, _ in stored}
    shown = [
        re.split(r"\s*\|\s*", line.strip("| "))
        for line in text.splitlines()
        if line.startswith("| ")
    ]
    rows = {law: numbers for law, *numbers in shown if law in laws}
    assert len(rows) >= 5
    for law, numbers in rows.items():
        assert numbers == [f"{stored[law, n]:.2f}" for n in (300, 1000, 5000)]


def test_a_rare_value_costs_most():
    with (ROOT / "data" / "use.csv").open(encoding="utf-8") as file:
        lines = [line for line in csv.DictReader(file) if line["rows"] == "5000"]
    retained = {
        line["law"]: float(line["retained"])
        for line in lines
        if line["default"] == "True"
    }
    least = sorted(retained, key=retained.__getitem__)[:3]
    assert all("secret" in law for law in least)


def test_no_stored_release_breaks_its_promise():
    with (ROOT / "data" / "use.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert sum(int(line["tables"]) for line in lines) >= 150
    assert all(line["broken"] == line["constant"] == "0" for line in lines)
