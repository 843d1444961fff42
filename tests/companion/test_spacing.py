"""No line ends between a number and its unit, also where the number is glued in."""

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from companion.sphinx.spacing import FIXED, fix_spaces

FIXES = {
    "It is 20 % of 3.5 nats.": 2,
    "It took 3\nseconds.": 1,
    "A budget of *0.5* nats, ``0.5`` nats or :math:`x` nats.": 3,
    "The 20 people of 5 bands, and 5 secrets": 0,
    "Code such as ``20 %``": 0,
    "A block::\n\n   20 %\n": 0,
    "Half of 20 %\n============": 1,
    ".. figure:: a.png\n\n   A share of 20 %": 1,
    ".. raw:: html\n\n   <p>20 %</p>\n": 0,
    "- 20 %\n\n  ====  ======\n  a     9 nats\n  ====  ======": 2,
}


@pytest.mark.parametrize("text", FIXES)
def test_the_space_before_a_unit_is_fixed(text):
    document = publish_doctree(text)
    before = document.astext()
    fix_spaces(document)
    after = document.astext()
    assert after.count(FIXED) == FIXES[text]
    assert " ".join(after.split()) == " ".join(before.split())


def test_the_space_after_a_glued_number():
    parts = [nodes.raw("", "<span>", format="html"), nodes.Text("20")]
    parts += [nodes.raw("", "</span>", format="html"), nodes.Text(" % of it")]
    paragraph = nodes.paragraph("", "", *parts)
    fix_spaces(paragraph)
    assert str(paragraph.children[-1]) == f"{FIXED}% of it"
