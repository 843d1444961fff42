"""Each quotation was found in its paper; with the papers' texts (in the folder
LIFT_PAPERS), it is looked up again.
"""

import os
from pathlib import Path

import pytest

from liftbook.claims import quotes
from liftlib.errors import DataError

PAPERS = os.environ.get("LIFT_PAPERS", "")


def test_each_quotation_was_looked_up():
    assert {row["digest"] for row in quotes.stored()} == set(quotes.quotes())


@pytest.mark.skipif(not PAPERS, reason="the papers' texts are not part of the book")
def test_each_quotation_stands_in_its_paper():
    assert quotes.looked_up(Path(PAPERS)) == quotes.stored()


def test_a_quotation_that_is_nowhere(tmp_path):
    for start in quotes.TEXTS.values():
        (tmp_path / f"{start}.txt").write_text("nothing of the kind", encoding="utf-8")
    with pytest.raises(DataError):
        quotes.looked_up(tmp_path)


def test_a_changed_word_is_another_quotation():
    assert quotes.digest("e23", "it may cause") != quotes.digest("e23", "it can cause")
    assert quotes.digest("e23", "it  may\ncause") == quotes.digest(
        "e23", "it may cause"
    )
    assert quotes.digest("e23", "it may cause") != quotes.digest("c22", "it may cause")
