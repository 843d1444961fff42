"""The advice, from rows by hand and from the stored rows."""

import numpy as np
import pandas as pd
import pytest
from messages import raised

from liftbook.figures.relatives.advice import QUESTIONS, advice
from liftbook.figures.relatives.bench import BENCH_NOTIONS, stored_bench
from liftlib.registry import mechanisms

TURNED = {
    "funnel-descent": ("average 0.05", "funnel-descent", 0.0),
    "randomised-response": ("LIP 1", "unary-encoding", 0.0),
    "secret-aware": ("LIP 1", "optimal", 1.0),
    "best-partition": ("LIP 1", "subset-merging", 1.0),
    "optimal": ("LIP 1", "watchdog", 1.0),
}
"""For each answer, the notion, the mechanism and the NMI of rows that make it false."""


def test_the_stored_rows_bear_it_out():
    lines = advice(stored_bench())
    assert lines["holds"].all()
    assert list(lines["use"]) == [use for _, use, _, _ in QUESTIONS]
    assert set(lines["use"]) <= set(mechanisms)


@pytest.mark.parametrize("use", TURNED)
def test_other_rows_do_not(use):
    notion, mechanism, nmi = TURNED[use]
    rows = stored_bench()
    of = (
        (rows["notion"] == notion)
        & (rows["mechanism"] == mechanism)
        & (rows["status"] == "made")
    )
    rows.loc[of, "nmi"] = nmi
    lines = advice(rows).set_index("use")
    assert not lines["holds"][use]


def test_the_numbers_by_a_loop():
    rows = stored_bench()
    made = {
        (r.joint, r.notion, r.mechanism): r.nmi
        for r in rows.itertuples()
        if r.status == "made"
    }
    cells = sorted(
        {key[:2] for key in made if key[1] in ("LIP 1", "LDP 1", "max-lift 0.5")}
    )
    both = [
        one
        for one in cells
        if (*one, "best-partition") in made and (*one, "optimal") in made
    ]
    share = np.mean(
        [made[(*one, "best-partition")] / made[(*one, "optimal")] for one in both]
    )
    says = advice(rows).set_index("use")["says"]
    assert says["best-partition"].startswith(f"{share:.0%} of the optimum's NMI; ")
    ended = [one for one in cells if (*one, "optimal") in made]
    assert (
        says["optimal"]
        == f"no mechanism without the secret has a larger NMI; finished on {len(ended)}"
        f" of {len(cells)}"
    )


def test_rows_without_a_mechanism_say_so():
    rows = stored_bench()
    with raised(KeyError):
        advice(rows[rows["mechanism"] != "funnel-descent"])


def test_every_notion_is_one_of_the_bench():
    assert set(pd.unique(stored_bench()["notion"])) == set(BENCH_NOTIONS)
