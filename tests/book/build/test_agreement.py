"""A number that stands on a page and in the ledger is the same on both: the executed pages beside the stored values."""

from functools import cache
from pathlib import Path

import pytest

from liftbook.chapters.results import RECORD
from liftbook.claims import Interval
from liftbook.claims.stored import stored_values

ROOT = Path(__file__).resolve().parents[3]
PER_CENT = 100.0

SHARED = [
    ("lift-asymmetry", "la-below6", "fig1_probability_below_minus_6", 1),
    ("lift-asymmetry", "la-mass-least", "fig1_mass_at_extremes:minima", 1),
    ("lift-asymmetry", "la-mass-largest", "fig1_mass_at_extremes:maxima", 1),
    ("watchdog", "wd-syn-1", "watchdog_synthetic:1", 1),
    ("watchdog", "wd-syn-2", "watchdog_synthetic:2", 1),
    ("watchdog", "wd-broken-8", "watchdog_broken_at_8", PER_CENT),
    ("watchdog", "wd-adult-1", "watchdog_adult_eps_1:Other-relative", 1),
    ("watchdog", "wd-adult-2", "watchdog_adult_eps_2:Other-relative", 1),
    ("watchdog", "wd-five-Own-child", "watchdog_adult_eps_2:Own-child", 1),
    ("watchdog", "wd-five-Unmarried", "watchdog_adult_eps_2:Unmarried", 1),
    ("watchdog", "wd-five-all-1", "watchdog_adult_eps_1:none", 1),
    ("watchdog", "wd-five-all-2", "watchdog_adult_eps_2:none", 1),
    ("subset-merging", "sm-one-subset", "merging_synthetic_eps_1:Λ + 1/Ψ", 1),
    ("subset-merging", "sm-one-risk", "merging_synthetic_eps_1:Λ + Ψ", 1),
    ("subset-merging", "sm-one-loop", "merging_with_printed_loop", 1),
    ("subset-merging", "sm-gain-synthetic", "merging_gain_synthetic:Λ + 1/Ψ", 1),
    ("subset-merging", "sm-broken-8", "merging_broken_at_8", PER_CENT),
    ("subset-merging", "sm-adult", "merging_adult_eps_1:Other-relative", 1),
    ("subset-merging", "sm-adult-gain", "merging_gain_adult:Other-relative", 1),
    ("subset-merging", "sm-adult-broken", "merging_broken_points_adult:Other-relative", 1),
    ("subset-merging", "sm-nmil-c-025", "c22_complete_loss:0.25", 1),
    ("subset-merging", "sm-nmil-c-05", "c22_complete_loss:0.5", 1),
    ("subset-merging", "sm-nmil-a-025", "c22_algorithm_loss:0.25", 1),
    ("subset-merging", "sm-nmil-a-05", "c22_algorithm_loss:0.5", 1),
    ("subset-merging", "sm-not-perfect", "c22_not_perfect_at_half", PER_CENT),
    ("aorr", "ao-syn-2", "aorr_synthetic_eps_2", 1),
    ("aorr", "ao-adult-2", "aorr_adult_eps_2:Other-relative", 1),
    ("linear-reduction", "lr-ratio", "ratio_of_distances", 1),
    ("linear-reduction", "lr-moved-aware", "example_distance:aware, definition", 1),
    ("linear-reduction", "lr-moved-markov", "example_distance:Markov, definition", 1),
    ("linear-reduction", "lr-info-markov", "example_information:Markov, nats", 1),
    ("conditional-reporting", "cr-above", "reporting_points_outside:above the optimum", 1),
]
"""Page, name of the glued number, what the ledger calls it, and the page's unit."""


def glued(notebook):
    """Return the numbers that an executed notebook glues, by name."""
    found = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            text = output.get("data", {}).get(RECORD + "text/plain")
            if text is not None:
                try:
                    found[output["metadata"]["scrapbook"]["name"]] = float(text)
                except ValueError:
                    continue  # a word
    return found


@cache
def executed():
    from jupyter_cache import get_cache

    cache = get_cache(ROOT / "_build" / ".jupyter_cache")
    found = {}
    for record in cache.list_project_records():
        kept = cache.get_cached_project_nb(record.uri)
        if kept is not None:
            found[Path(record.uri).stem] = glued(cache.get_cache_bundle(kept.pk).nb)
    return found


def agree(shown, stored, unit):
    assert not isinstance(stored, Interval)
    return abs(shown - unit * float(stored)) <= 1e-6 * max(1.0, abs(shown))


def test_agreement_is_seen():
    assert agree(17.34, 0.1734, PER_CENT)
    assert not agree(17.34, 0.1735, PER_CENT)
    values = stored_values()
    assert all(values.get(call) for _, _, call, _ in SHARED)


@pytest.mark.book
@pytest.mark.parametrize(("chapter", "name", "call", "unit"), SHARED, ids=str)
def test_a_number_is_the_same_on_both(chapter, name, call, unit):
    assert agree(executed()[chapter][name], stored_values()[call][0], unit)
