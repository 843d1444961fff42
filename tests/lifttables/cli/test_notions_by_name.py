"""A notion from its name and its budgets."""

import pytest

from liftlib import LIP
from liftlib.errors import InvalidParameter
from liftlib.notions.catalogue import NOTIONS
from lifttables.cli.notions import maker, notion_from, parameters


def test_each_is_made_from_its_parameters():
    values = {"eps": 1.0, "eps_l": 1.0, "eps_u": 0.5, "alpha": 2.0}
    for name in list(NOTIONS):
        given_ = {key: values[key] for key in parameters(name) if key != "shape"}
        made = notion_from(name, given_, (2, 2))
        assert all(getattr(made, key) == value for key, value in given_.items())


def test_your_own():
    assert maker("liftlib.notions:LIP") is LIP
    assert notion_from("liftlib:LIP", {"eps": 0.5}) == LIP(0.5)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lap", r"^no notion 'lap': there are alip, lip, .*, and your own as MODULE:CLASS$"),
        ("math:A", r"^no notion 'math:A': module 'math' has no attribute 'A'$"),
        ("nowhere:A", r"^no notion 'nowhere:A': No module named 'nowhere'; is its module on PYTHONPATH\?$"),
        ("liftlib:Nothing", "^no notion 'liftlib:Nothing'"),
        (":A", "^no notion ':A'"),
        ("liftlib:__version__", "name a class of notions$"),
    ],
)
def test_unknown(name, text):
    with pytest.raises(InvalidParameter, match=text):
        notion_from(name, {})


def test_what_it_makes_is_a_notion():
    with pytest.raises(InvalidParameter, match="which is not a Notion"):
        notion_from("liftlib.notions:Leakage", {"lower": 1.0, "upper": 2.0})
    with pytest.raises(InvalidParameter, match=r"name a class of notions$"):
        notion_from("builtins:dict", {})
