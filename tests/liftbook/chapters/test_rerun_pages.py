"""A rerun's page looks like the book's and says what changed."""

import html
import json
import os
import re
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from typed import typed

from liftbook import figures
from liftbook.build.sphinx import claims_again
from liftbook.chapters import LiftBook, book, rerun

PAGE = """---
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# A chapter

After {cite:t}`E23`, see {doc}`aorr`, {prf:ref}`thm-far`, {prf:ref}`thm-near` and
{term}`lift`.

```{code-cell} ipython3
:tags: [parameters]

n: int = 3  # how many, in [1, 10]
values: list[float] = [1.0, 2.0]  # some numbers
```

```{code-cell} ipython3
:tags: [remove-cell]

from liftbook.chapters import check_parameters

check_parameters()
```

```{code-cell} ipython3
:tags: [remove-cell]

import pandas as pd
from myst_nb import glue

from liftbook.chapters import keep

keep("rows", pd.DataFrame({"x": [v * n for v in values]}))
glue("n-twice", 2 * n, display=False)
glue("always", 7, display=False)
```

There are twice {glue:text}`n-twice` people and {glue:text}`always` days.

```{prf:theorem} Near
:label: thm-near

It is here.
```

```{companion-parameters}
```

```{exercise} Count
:label: ex-count

How many?
```

```{code-cell} ipython3
---
mystnb:
  image: {alt: A line that falls from one to zero}
  figure: {name: fig-line, caption: What falls.}
---
import matplotlib.pyplot as plt

plt.plot([1, 0]);
```

```{code-cell} ipython3
---
mystnb:
  image: {alt: A line that rises}
  figure: {name: fig-rises, caption: What rises.}
---
from companion.outputs.curves import note
from companion.outputs.showing import show_as_svg

show_as_svg()
figure, ax = plt.subplots()
rows = pd.DataFrame({"series": "a line", "x": [0.0, 1.0], "mean": [0.0, float(n)]})
ax.plot(rows["x"], rows["mean"])
note(ax, rows, {"a line": {"color": "#0072b2", "linestyle": "-"}}, x="x", y="mean")
```
"""
RECORD = {
    "targets": {
        "doc:aorr": ["chapters/aorr.html", "Optimal response"],
        "doc:own": ["chapters/own.html", "A chapter"],
        "prf:thm-far": ["chapters/aorr.html#thm-far", "Theorem 12.1"],
    },
    "numbers": {"own": {"theorem": {"thm-near": ["Theorem 5.1"]}}},
    "rows": {"fig-rises": "_images/rises.rows.json"},
    "glued": {"own": {"n-twice:s": "6", "always:s": "7"}},
}


@pytest.fixture(scope="module")
def own_page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    (folder / "own.md").write_text(PAGE)
    (folder / "book").mkdir()
    (folder / "book" / "book.json").write_text(json.dumps(RECORD))
    (folder / "book" / "_images").mkdir()
    panel = {
        "measure": "mean",
        "x": "x",
        "at": None,
        "columns": ["series", "x", "mean"],
    }
    book = {"panels": [panel | {"rows": [["a line", 0.0, 0.0], ["a line", 1.0, 3.0]]}]}
    (folder / "book" / "_images" / "rises.rows.json").write_text(json.dumps(book))
    return rerun(
        str(folder / "own.md"),
        {"n": 4},
        folder / "run",
        progress=False,
        book=str(folder / "book"),
    )


def test_a_page_without_raw_markup(own_page):
    text = own_page.page.read_text()
    assert own_page.warnings == ()
    assert not re.findall(r"\{(?:glue|doc|cite|prf|term|exercise)[:}]", text)
    assert ":::" not in text
    assert (
        "What falls." in re.search(r"<figcaption>.*?</figcaption>", text, re.DOTALL)[0]
    )
    assert 'alt="A line that falls from one to zero"' in text
    assert "Exercise" in text
    # the works stand on the page itself
    assert "Zarrabian" in text.partition("<h2>References")[2]
    assert not re.findall(r'(?:src|href)="https?://[^"]*\.(?:js|css)', text)


def test_what_changed_is_at_the_top(own_page):
    text = own_page.page.read_text()
    box = text[
        text.index("A rerun with your parameters") : text.index(
            "This chapter in the book"
        )
    ]
    assert re.search(r"<code>n</code></td><td>4</td><td>3</td>", box)
    assert re.search(
        r"There are twice <b>8</b> people.*?<td>6</td><td>8</td>", box, re.DOTALL
    )
    assert '<mark id="changed-1" title="in the book: 6">' in text


def test_the_table_of_parameters_shows_the_default_and_the_value_of_this_run(own_page):
    table = re.search(
        r'class="companion-parameters.*?</table>', own_page.page.read_text(), re.DOTALL
    )[0]
    rows = [
        re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        for row in table.split("<tr")[1:]
    ]
    shown = [
        [html.unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in row]
        for row in rows
    ]
    assert shown == [
        ["parameter", "type", "default", "this run", "meaning"],
        ["n", "int", "3", "4", "how many, in [1, 10]"],
        ["values", "list[float]", "[1.0, 2.0]", "[1.0, 2.0]", "some numbers"],
    ]


def test_the_papers_claims_are_computed_on_the_runs_curves():
    rows = figures.figure_e23_2(3, [2.0], n_secret=2, n_public=4, rng=0)
    text = claims_again.as_text("watchdog", {"figure_e23_2": rows})
    (at_two,) = [
        line for line in text.splitlines() if "varepsilon = 2$: mean NMI" in line
    ]
    mine = rows[(rows.series == "ALIP, λ=0.5") & (rows.measure == "nmi")]["mean"].item()
    assert at_two.endswith(f"| 0.52 | 0.5209 (0.5161 to 0.5257) | {mine:.4g} |")
    assert "varepsilon = 1$: mean NMI" not in text  # the run has no such budget
    assert "more of the claims about this chapter" in text
    assert "| printed |" not in claims_again.as_text("watchdog", {})
    assert claims_again.as_text("own", {}) == ""


def test_the_books_curve_stands_behind_the_new_one(own_page):
    (ghosts,) = [
        path.read_text()
        for path in (own_page.folder / "_images").glob("*.svg")
        if "ghosts" in path.read_text()
    ]
    assert "<title>a line, in the book</title>" in ghosts
    assert ghosts.index('id="ghosts"') < ghosts.index('id="figure_1"')


def test_references_lead_to_the_book(own_page):
    text, base = own_page.page.read_text(), (own_page.folder.parent / "book").as_uri()
    assert re.search(
        rf'href="{base}/chapters/aorr.html"[^>]*>.*?Optimal response', text
    )
    assert re.search(
        rf'href="{base}/chapters/aorr.html#thm-far"[^>]*>.*?Theorem 12.1', text
    )
    # numbered as in the book
    assert re.search(r'href="#thm-near"[^>]*>.*?Theorem 5.1', text)


def test_without_an_address_they_are_text(own_page, tmp_path, monkeypatch):
    monkeypatch.setattr(LiftBook, "record", lambda *_: RECORD)
    notebook = nbformat.read(own_page.notebook, as_version=4)
    assert LiftBook().lay_out(notebook, Path("own.md"), tmp_path) == []
    text = (tmp_path / "own.html").read_text()
    assert "Theorem 12.1" in text
    assert "aorr.html" not in text


def test_without_a_record_a_theorem_is_named_by_its_chapter(monkeypatch):
    monkeypatch.setattr(book.Book, "record", lambda *_: {})
    known = LiftBook().record()["targets"]
    assert known["doc:chapters/watchdog"] == [
        "chapters/watchdog.html",
        "The watchdog mechanism",
    ]
    assert known["prf:thm-srr-feasible"][0] == "chapters/theorems.html#thm-srr-feasible"
    assert known["prf:thm-srr-feasible"][1].startswith("the theorem in “")


def papermill(folder, words):
    """Run the command papermill, and return its exit code and what it said."""
    paths = [os.environ.get("PYTHONPATH", ""), str(Path.cwd())]
    done = typed(
        f"-m papermill --no-progress-bar {words}",
        folder,
        PYTHONPATH=os.pathsep.join(filter(None, paths)),
    )
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def notebook(own_page):
    """Convert the text notebook as its reader does, with one command."""
    text = own_page.folder.parent / "own.md"
    assert typed(f"-m jupytext --quiet --to ipynb {text}").returncode == 0
    return text.with_suffix(".ipynb")


def test_plain_papermill(notebook, tmp_path):
    (tmp_path / "mine.yaml").write_text("n: 2\n")
    (tmp_path / "out").mkdir()
    given = "-p values '[1, 2]' -f mine.yaml -y '{n: 5}'"
    code, said = papermill(tmp_path, f"{notebook} out/one.ipynb {given}")
    assert code == 0, said
    assert pd.read_csv(tmp_path / "out" / "one.rows.csv")["x"].tolist() == [5, 10]


@pytest.mark.parametrize(
    ("words", "named"),
    [("-p n 11", "[1, 10]"), ("-p valeus [1]", "'values'")],
)
def test_plain_papermill_refuses(notebook, tmp_path, words, named):
    code, said = papermill(tmp_path, f"{notebook} two.ipynb {words}")
    assert code != 0
    assert named in said
    assert not list(tmp_path.glob("*.csv"))


def test_our_command_takes_a_notebook(notebook, tmp_path):
    made = rerun(str(notebook), {"n": 2}, tmp_path / "out", progress=False, html=False)
    assert [path.name for path in made.tables] == ["rows.csv"]
    assert pd.read_csv(made.tables[0])["x"].tolist() == [2, 4]
    assert (tmp_path / "out" / "run.md").is_file()
