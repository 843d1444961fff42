"""A sentence that says "nan" is a warning of the build, and a table or code that does
is not.
"""

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from sphinx.testing.util import SphinxTestApp

from companion.sphinx.numbers import sentences_without_number

SAYS = {
    "The mean is nan at 2.": 1,
    "The mean is **nan** at 2.": 1,
    "The mean is NaN at 2, and the Nantes of a banana.": 1,
    "Nancy has a banana.": 0,
    "A cell can be ``nan``.": 0,
    "::\n\n   nan\n": 0,
    ":math:`nan`": 0,
    "Results: nan\n============": 1,
}


@pytest.mark.parametrize("text", SAYS)
def test_what_says_nan(text):
    assert len(sentences_without_number(publish_doctree(text))) == SAYS[text]


def test_a_number_in_place_of_a_glued_one():
    part = nodes.paragraph("", "", nodes.Text("The mean is "), nodes.inline("", "nan"))
    document = publish_doctree("")
    document += part
    assert len(sentences_without_number(document)) == 1


CONFIGURATION = """
from docutils import nodes

extensions = ["companion.sphinx.numbers"]


def setup(app):
    app.add_role("computed", lambda *_: ([nodes.inline("", "nan")], []))
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("text", "warnings"),
    [("It is nan.", 0), ("It is :computed:`mean`.", 1), ("0.52, not ``nan``.", 0)],
)
def test_a_build_warns_of_a_nan_that_its_author_did_not_write(tmp_path, text, warnings):
    (tmp_path / "conf.py").write_text(CONFIGURATION)
    (tmp_path / "index.rst").write_text(f"Page\n====\n\n{text}\n")
    app = SphinxTestApp("dummy", srcdir=tmp_path)
    try:
        app.build()
        assert app.warning.getvalue().count("says nan") == warnings
    finally:
        app.cleanup()
