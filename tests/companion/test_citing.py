"""Tags for reference managers and an entry for BibTeX on each page, and the values of
all pages in one file.
"""

import json
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from pybtex.database import parse_string
from sphinx.testing.util import SphinxTestApp

from companion.sphinx.citing import add_citation, cited
from companion.sphinx.reruns import write_values

CONFIGURATION = """
extensions = ["companion.sphinx.citing"]
project = "Coins & dice: 50 % heads"
author = 'Ada "Countess" Lovelace'
copyright = "2026"
html_theme = "basic"
html_baseurl = "ADDRESS"
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("address", ["", "https://a.org/coins/"])
def test_each_page_says_how_it_is_cited(tmp_path, address):
    (tmp_path / "conf.py").write_text(CONFIGURATION.replace("ADDRESS", address))
    (tmp_path / "index.rst").write_text(
        "Front\n=====\n\n.. companion-cite::\n\n.. toctree::\n\n   parts/toss\n"
    )
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "toss.rst").write_text(
        "A toss of {n} coins_2\n=====================\n"
    )
    app = SphinxTestApp("html", srcdir=tmp_path)
    try:
        app.build()
        context = {}
        add_citation(app, "parts/toss", "page.html", context, None)
    finally:
        app.cleanup()
    found = {}
    for tag in BeautifulSoup(context["metatags"], "html.parser").select("meta"):
        found[tag["name"]] = tag["content"]
    expected = {
        "citation_title": "A toss of {n} coins_2",
        "citation_author": 'Ada "Countess" Lovelace',
        "citation_inbook_title": "Coins & dice: 50 % heads",
        "citation_publication_date": "2026",
    }
    if address:
        expected["citation_public_url"] = f"{address}parts/toss.html"
    assert found == expected | {"citation_inbook_title": found["citation_inbook_title"]}
    assert "Coins & dice: 50 % heads" in found["citation_inbook_title"]
    entries = parse_string(
        (app.outdir / "_cite" / "parts" / "toss.bib").read_text(), "bibtex"
    ).entries
    ((_, entry),) = entries.items()
    assert entry.type == "incollection"
    assert entry.fields["title"] == r"A toss of \{n\} coins\_2"
    assert entry.fields["year"] == "2026"
    assert ("url" in entry.fields) is bool(address)
    first = (app.outdir / "_cite" / "index.bib").read_text()
    ((_, own),) = parse_string(first, "bibtex").entries.items()
    assert own.type == "software"
    assert "booktitle" not in own.fields
    assert own.fields.get("url", "") == address
    shown = BeautifulSoup((app.outdir / "index.html").read_text(), "html.parser")
    assert first.strip() in shown.text
    (menu,) = context["header_buttons"]
    assert [button["url"] for button in menu["buttons"]] == ["../_cite/parts/toss.bib"]


@pytest.mark.filterwarnings("ignore")
def test_nobody_is_cited_where_the_book_names_no_author(tmp_path):
    (tmp_path / "conf.py").write_text('extensions = ["companion.sphinx.citing"]\n')
    (tmp_path / "index.rst").write_text("Front\n=====\n")
    app = SphinxTestApp("html", srcdir=tmp_path)
    try:
        app.build()
        assert cited(app, "index")["author"] == ""
    finally:
        app.cleanup()


def test_values_are_numbers_and_texts_and_each_page_has_its_own(tmp_path):
    (tmp_path / "glued" / "a").mkdir(parents=True)
    outputs = {
        "n": "3",
        "share": "0.25",
        "name": "'north'",
        "is": "True",
        "none": "nan",
        "odd": "array([1, 2])",
    }
    content = {name: {"data": {"text/plain": text}} for name, text in outputs.items()}
    content["rows"] = {"data": {"application/x-rows": []}}
    (tmp_path / "glued" / "a" / "page.glue.json").write_text(json.dumps(content))
    app = SimpleNamespace(
        builder=SimpleNamespace(name="html"),
        config={"companion_rerun": {}},
        outdir=tmp_path,
        env=SimpleNamespace(
            found_docs={"a/page", "b"},
            mystnb_config=SimpleNamespace(output_folder=str(tmp_path / "glued")),
        ),
    )
    write_values(app, None)
    values = json.loads((tmp_path / "values.json").read_text())
    expected = {
        "n": 3,
        "share": 0.25,
        "name": "north",
        "is": True,
        "none": "nan",
        "odd": "array([1, 2])",
    }
    assert values == {"a/page": expected}
