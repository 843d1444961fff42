"""What a card says of its population and of beliefs."""

import pytest
from table_of_people import PEOPLE

import liftlib as ll
import lifttables as tables
from liftlib.errors import InvalidParameter
from lifttables.designs.statement import INDEPENDENT

WORDS = {"secret": "ill", "public": "age", "notion": ll.ALIP(1.0, 0.5), "resamples": 0}
OF = ["--secret", "ill", "--public", "age"]
LIP = ["--notion", "lip", "--eps", "1"]


def test_the_card_says_what_a_promise_for_the_population_assumes():
    card = tables.sanitise(PEOPLE, **WORDS).card
    assert INDEPENDENT in card.as_text()
    assert card.as_dict()["assumes"] == INDEPENDENT
    for violation in ("survey weights", "strata", "clusters", "households", "census"):
        assert violation in INDEPENDENT


def test_an_unknown_sampling():
    with pytest.raises(InvalidParameter, match="sampling is 'random': give 'independent' or "):
        tables.sanitise(PEOPLE, **WORDS, sampling="random")


EVIL = "a\x1b[31mb\x9b32mc\x07\u202ed"
