"""Pages are known by their path: two pages may have one name."""

import re
from pathlib import Path

import pytest
from typed import typed

from companion.executing import _reads

CONF = """
extensions = ["companion"]
exclude_patterns = ["html", "_build", "runs"]
html_theme = "sphinx_book_theme"
nb_execution_mode = "force"
"""
PAGE = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# {title}

```{{code-cell}} ipython3
:tags: [parameters]

n: int = {n}  # how many, in [1, 1000]
```

```{{code-cell}} ipython3
:tags: [remove-cell]

from myst_nb import glue

glue("sum", 2 * n, display=False)
{more}
```

Twice as many are {{glue:text}}`sum`. See {{doc}}`../{other}/notes`.
"""
INDEX = "# Book\n\n```{toctree}\ndice/notes\ncards/notes\n```\n"


class Book:
    def __init__(self, folder):
        self.folder = folder
        (folder / "conf.py").write_text(CONF, encoding="utf-8")
        (folder / "index.md").write_text(INDEX, encoding="utf-8")
        for name, n, other in (("dice", 3, "cards"), ("cards", 50, "dice")):
            (folder / name).mkdir()
            text = PAGE.format(title=name.title(), n=n, other=other, more="")
            (folder / name / "notes.md").write_text(text, encoding="utf-8")
        command = "-m sphinx -W -q -b html . _build/html"
        done = typed(command, folder, LIFT_PYODIDE="off")
        assert done.returncode == 0, done.stderr

    def rerun(self, page, n, output):
        command = f"-m companion rerun {page} -p n {n} -o {output}"
        done = typed(command, self.folder, LIFT_PYODIDE="off")
        assert done.returncode == 0, done.stderr
        return (output / "notes.html").read_text(encoding="utf-8")


pytestmark = pytest.mark.timeout(900)  # a build and four reruns


@pytest.fixture(scope="module")
def book_of_names(tmp_path_factory):
    return Book(tmp_path_factory.mktemp("names"))


@pytest.mark.parametrize(
    ("page", "n", "changed", "same"),
    [
        ("dice/notes", 3, [], 1),
        ("cards/notes", 50, [], 1),
        ("dice/notes", 50, [("6", "100")], 0),
    ],
)
def test_a_page_is_compared_to_itself(book_of_names, tmp_path, page, n, changed, same):
    text = book_of_names.rerun(page, n, tmp_path / "run")
    assert (
        re.findall(r'<mark id="changed-1" title="in the book: (\d+)">.*?>(\d+)<', text)
        == changed
    )
    assert len(re.findall(r"1 of 1 numbers in the text are the same", text)) == same


def test_a_number_that_the_record_lacks_is_not_compared(book_of_names, tmp_path):
    page = book_of_names.folder / "dice" / "notes.md"
    before = page.read_text(encoding="utf-8")
    more = 'glue("new", 7, display=False)\n```\n\nThere are {glue:text}`new` days.\n'
    page.write_text(
        before.replace("\n\n```\n\nTwice", f"\n{more}\nTwice"), encoding="utf-8"
    )
    try:
        text = book_of_names.rerun("dice/notes", 3, tmp_path / "run")
    finally:
        page.write_text(before, encoding="utf-8")
    assert (
        len(
            re.findall(
                r"1 of 2 numbers in the text (?:are the same|were not compared)", text
            )
        )
        == 2
    )


def test_files_read_by_pages_of_one_name_are_recorded_apart():
    paths = {
        _reads(Path("cache"), f"book/{folder}/notes.md") for folder in ("dice", "cards")
    }
    assert len(paths) == 2
