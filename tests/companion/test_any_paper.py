"""A book that uses the kit may use what its other extensions offer."""

import re
import sys
from pathlib import Path

import jupytext
import nbformat
import pytest
from bs4 import BeautifulSoup
from messages import as_stored
from sphinx_proof.proof_type import PROOF_TYPES
from typed import typed

CONF = """
extensions = ["companion", "sphinx_togglebutton"]
exclude_patterns = ["html", "jupyter_execute"]
html_theme = "sphinx_book_theme"
myst_enable_extensions = [
    "colon_fence", "deflist", "dollarmath", "substitution", "tasklist"
]
nb_execution_mode = "off"
"""
CELL = """
```{code-cell} ipython3
:tags: [parameters]

n: int = 3  # how many, in [1, 9]
```
"""
KERNEL = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
"""
THEOREMS = "".join(
    f"```{{prf:{kind}}} Title of the {kind}\n:label: my-{kind}\n\nWords of the"
    f" {kind}.\n```\n\n"
    for kind in PROOF_TYPES
)
PAGE = f"""{KERNEL}
# Page

{CELL}

{THEOREMS}

```{{prf:remark}}
:nonumber:

Words without a number.
```

```{{prf:proof}}
Words of the proof.
```

See {{prf:ref}}`my-proposition`.

```{{margin}} Title of the margin
Words of the margin.
```

```{{sidebar}} Title of the sidebar
Words of the sidebar.
```

```{{topic}} Title of the topic
Words of the topic.
```

````{{card}} Title of the card
:link: https://example.org/card

Words of the card.

```{{prf:example}}
Words within the card.
```
````

````{{grid}} 2
```{{grid-item-card}} Title of the item
Words of the item.
```
````

```{{dropdown}} Title of the dropdown
Words of the dropdown.
```

````{{tab-set}}
```{{tab-item}} Title of the first tab
Words of the first tab.
```
```{{tab-item}} Title of the second tab
Words of the second tab.
```
````

{{bdg-primary}}`Words of the badge`

```{{button-link}} https://example.org/button
Words of the button
```

```{{exercise}} Title of the exercise
:label: my-exercise

Words of the exercise.
```

```{{solution}} my-exercise
Words of the solution.
```

```{{admonition}} Title of the box
:class: dropdown

Words of the box.
```

```{{tip}}
Words of the tip.
```

```{{versionadded}} 1.0
Words of the version.
```

```{{epigraph}}
Words of the epigraph.

-- Writer
```

```{{list-table}} Title of the table
:header-rows: 1

* - Words of the head of the column
* - Words of the entry
```

```{{rubric}} Words of the rubric
```

```{{centered}} Words in the middle
```

```{{hlist}}
- Words of the list
```

| Words of the verse
| and on

A note.[^note]

[^note]: Words of the note.

```{{toctree}}
child
```
"""
CHILD = f"{KERNEL}\n# Child\n\nWords of the child.\n\n{CELL}"
INDEX = f"{KERNEL}\n# Book\n\n```{{toctree}}\npage\n```\n{CELL}"


def build(folder, words, conf=CONF, **pages):
    """Write a book, and return the process that builds it."""
    (folder / "conf.py").write_text(conf, encoding="utf-8")
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return typed(f"-m sphinx -q {words} -b html . html", folder, LIFT_PYODIDE="")


def text_of_notebook(folder, name):
    """Return the text of a page's notebook."""
    notebook = nbformat.read(
        folder / "html" / "_notebooks" / f"{name}.ipynb", as_version=4
    )
    return "\n\n".join(cell.source for cell in notebook.cells)


@pytest.fixture(scope="module")
def page_of_everything(tmp_path_factory):
    folder = tmp_path_factory.mktemp("any")
    done = build(folder, "-W --keep-going", index=INDEX, page=PAGE, child=CHILD)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def test_the_notebook_has_what_the_page_says(page_of_everything):
    page = BeautifulSoup(
        (page_of_everything / "html" / "page.html").read_text(encoding="utf-8"),
        "html.parser",
    ).article
    shown = {
        " ".join(text.split())
        for text in page.stripped_strings
        if "Words" in text or "Title" in text
    }
    assert len(shown) > 60
    plain = " ".join(
        text_of_notebook(page_of_everything, "page").replace("\n>", "\n").split()
    )
    assert sorted(text for text in shown if text.strip("()") not in plain) == []


@pytest.mark.parametrize("kind", PROOF_TYPES)
def test_each_kind_of_theorem_has_its_name_and_number(page_of_everything, kind):
    assert (
        f"> **{kind.title()} 1** (Title of the {kind})\n>\n> Words of the {kind}."
        in text_of_notebook(page_of_everything, "page")
    )


def test_titles_and_links_are_seen_in_the_notebook(page_of_everything):
    text = text_of_notebook(page_of_everything, "page")
    for title in (
        "margin",
        "sidebar",
        "topic",
        "box",
        "dropdown",
        "first tab",
        "second tab",
    ):
        assert f"**Title of the {title}**" in text
    assert "> **Remark**\n>\n> Words without a number." in text
    assert "[Words of the button](https://example.org/button)" in text
    assert "See Proposition 1." in text


@pytest.mark.parametrize("name", ["index", "child"])
def test_a_page_above_and_a_page_below_have_notebooks(page_of_everything, name):
    assert "n: int = 3" in text_of_notebook(page_of_everything, name)


UNKNOWN = """
from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class mystery(nodes.General, nodes.Element):
    pass


class Mystery(SphinxDirective):
    has_content = True

    def run(self):
        node = mystery()
        node += self.parse_content_to_nodes()
        self.set_source_info(node)
        return [node]


def nothing(self, node):
    pass


def setup(app):
    app.add_node(mystery, html=(nothing, nothing))
    app.add_directive("mystery", Mystery)
"""
MYSTERIOUS = f"""
import sys
sys.path.insert(0, __file__.removesuffix("conf.py"))
{CONF}
extensions.append("mystery")
"""
MYSTERY = (
    f"{KERNEL}\n# Book\n{CELL}\n```{{mystery}}\nWords"
    " *within*.\n```\n\n```{mystery}\n```\n\nAnd on.\n"
)


def test_an_unknown_node_stops_a_strict_build_and_its_text_is_kept(tmp_path):
    (tmp_path / "mystery.py").write_text(UNKNOWN, encoding="utf-8")
    done = build(tmp_path, "-W --keep-going", conf=MYSTERIOUS, index=MYSTERY)
    assert done.returncode != 0
    told = [line for line in done.stderr.splitlines() if "WARNING" in line]
    places = [
        number
        for number, line in enumerate(MYSTERY.splitlines(), start=1)
        if line == "```{mystery}"
    ]
    assert [int(re.search(r"index\.md:(\d+):", line)[1]) for line in told] == places
    for place, line in zip(places, told, strict=True):
        as_stored(line.rpartition("WARNING")[2], place)
    assert text_of_notebook(tmp_path, "index").endswith(
        "\n\nWords *within*.\n\nAnd on."
    )
    words = "-W -E -D suppress_warnings=companion.notebook"
    quiet = build(tmp_path, words, conf=MYSTERIOUS, index=MYSTERY)
    assert (quiet.returncode, quiet.stderr) == (0, "")


REPOSITORY = """
html_theme_options = {
    "repository_url": "https://github.com/writer/paper", "use_issues_button": True
}
"""
NO_GLOSSARY = (
    "WARNING: companion_glossary is 'words', which is no page of the book: name its"
    " page, or leave it out\n"
)


@pytest.mark.parametrize(
    ("options", "words", "said"),
    [
        (REPOSITORY, "-W", ""),
        (
            REPOSITORY.replace("https://github.com/writer/paper", ""),
            "-D companion_glossary=words",
            NO_GLOSSARY,
        ),
    ],
    ids=["an address", "no address and no glossary"],
)
def test_a_book_keeps_its_own_choice_of_buttons_and_gets_none_that_lead_nowhere(
    tmp_path, options, words, said
):
    done = build(
        tmp_path, words, conf=CONF + options, index=f"{KERNEL}\n# Book\n{CELL}"
    )
    assert (done.returncode, done.stderr) == (0, said)
    page = (tmp_path / "html" / "index.html").read_text(encoding="utf-8")
    assert ("writer/paper/issues" in page) == (options == REPOSITORY)
    assert ("writer/paper/issues/new?title=index" in page) == (options == REPOSITORY)
    assert "btn-source-repository-button" not in page
    assert "mybinder.org" not in page  # there may be no branch that it could open
    assert "Download as a notebook" in page


JUPYTER_BOOK = """
title: A book
execute: {execute_notebooks: "off"}
only_build_toc_files: true
bibtex_bibfiles: [works.bib]
html: {baseurl: "https://example.org/book"}
sphinx: {extra_extensions: [companion]}
"""
SHOWN = """
See {{cite}}`Writer26`, {{doc}}`/index`, ![]({up}picture.png) and ![](/picture.png).

```{{bibliography}}
```
"""
PICTURE = b"no picture, but a file that the page names"
WORKS = "@misc{Writer26, title = {A title}, author = {Writer, A.}, year = {2026}}\n"


@pytest.fixture
def jupyter_book(tmp_path):
    """A book for Jupyter Book with a page as text and one as a notebook, each of which
    shows a picture.
    """
    (tmp_path / "_config.yml").write_text(JUPYTER_BOOK, encoding="utf-8")
    (tmp_path / "_toc.yml").write_text(
        "{format: jb-book, root: index, chapters: [{file: part/text, sections: [{file:"
        " leaf}]}]}",
        encoding="utf-8",
    )
    (tmp_path / "works.bib").write_text(WORKS, encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(PICTURE)
    (tmp_path / "index.md").write_text("# Book\n", encoding="utf-8")
    (tmp_path / "leaf.md").write_text(CHILD, encoding="utf-8")
    (tmp_path / "part").mkdir()
    text = (
        f"{KERNEL}\n# Text\n{SHOWN.format(up='../')}{CELL}\n```{{code-cell}}"
        " ipython3\nn + 1\n```\n"
    )
    (tmp_path / "part" / "text.md").write_text(text, encoding="utf-8")
    jupytext.write(jupytext.reads(text, "md:myst"), tmp_path / "part" / "note.ipynb")
    return tmp_path


def test_a_jupyter_book_with_child_pages_is_built_strictly(jupyter_book):
    program = Path(sys.executable).with_name("jupyter-book")
    done = typed(f"{program} build -W -n --keep-going .", jupyter_book)
    assert done.returncode == 0, done.stderr
    html = jupyter_book / "_build" / "html"
    made = jupytext.read(html / "_notebooks" / "part" / "text.ipynb")
    assert "**[Wri26]** " in "".join(cell.source for cell in made.cells)
    assert (html / "_notebooks" / "leaf.ipynb").exists()


@pytest.mark.parametrize("page", ["text", "note"])
def test_a_page_of_a_jupyter_book_is_rerun(jupyter_book, page):
    # what the first run wrote, a notebook, is no page of the book: there are not
    # several of that name
    for run in ["first", "second"] if page == "note" else ["first"]:
        command = f"-m companion rerun {page} -p n 7 -o runs/{run}"
        done = typed(command, jupyter_book)
        assert done.returncode == 0, done.stderr
        made = BeautifulSoup(
            (jupyter_book / "runs" / run / f"{page}.html").read_text(encoding="utf-8"),
            "html.parser",
        )
        assert ["n", "7", "3"] in [
            [one.get_text() for one in row.select("td")] for row in made.select("tr")
        ]
        assert [one.get_text(strip=True) for one in made.select(".cell_output")] == [
            "8"
        ]
        assert "A title" in made.select_one(".citation").get_text()
        shown = [one["src"] for one in made.select("article img")]
        assert len(shown) == 2
        assert all(
            (jupyter_book / "runs" / run / path).read_bytes() == PICTURE
            for path in shown
        )


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("part/text.md", ""),
        ("far/part/text", ""),
        ("text", "far/part/text.md and part/text.md"),
        ("txt", "'text'"),
        ("index", "'n'"),
    ],
)
def test_a_page_may_be_named_with_its_folder(jupyter_book, page, said):
    (jupyter_book / "far" / "part").mkdir(parents=True)
    (jupyter_book / "far" / "part" / "text.md").write_text(CHILD, encoding="utf-8")
    done = typed(f"-m companion rerun {page} -p n 7 -o run", jupyter_book)
    assert (done.returncode, said in done.stderr) == (
        2 if said else 0,
        True,
    ), done.stderr
    assert (jupyter_book / "run" / "text.html").exists() == (not said)
    assert (jupyter_book / "run").exists() == (not said)


def test_a_folder_without_a_book_is_named(tmp_path):
    done = typed("-m companion rerun page -o run", tmp_path)
    assert done.returncode == 2
    as_stored(done.stderr)
    assert done.stderr.count("\n") == 1
    assert str(tmp_path) in done.stderr
