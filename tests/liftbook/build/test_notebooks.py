"""Notebooks read like their pages."""

import re

import jupytext
import nbformat
import pytest
from asked import HTML, ROOT

from companion.solutions import ask, folded
from companion.sphinx.notebooks import NOTEBOOK_FOLDER, convert, only_glues

CHAPTERS = [
    path.stem
    for path in sorted((ROOT / "chapters").glob("*.md"))
    if "{code-cell}" in path.read_text()
]

SOURCE = """---
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A chapter

```{code-cell} ipython3
import numpy as np
```

```{code-cell} ipython3
:tags: [remove-cell]

glue("one", 1)
```

```{code-cell} ipython3
:tags: [remove-cell]

helper = 2
```

Text.

```{code-cell} ipython3
:tags: [hide-cell, solution]

answer_1 = helper
```

```{code-cell} ipython3
:tags: [remove-cell, check]

check(answer_1)
```

The next exercise.

```{code-cell} ipython3
:tags: [hide-cell, solution]

answer_2 = 2
```
"""


def test_what_the_page_leaves_out_is_put_back_and_answers_are_asked_for():
    source = jupytext.reads(SOURCE, "md:myst")
    numbers = [
        number for number, cell in enumerate(source.cells) if cell.cell_type == "code"
    ]
    made = convert(
        source,
        ["# A chapter", numbers[0], "Text.", numbers[3], "Next.", numbers[5], "End."],
        "install()",
    )
    assert [(cell.cell_type, cell.source) for cell in made.cells] == [
        ("code", "install()"),
        ("markdown", "# A chapter"),
        ("code", "import numpy as np"),
        ("code", "helper = 2"),
        ("markdown", "Text."),
        ("code", ask("answer_1 = helper")),
        ("markdown", folded("answer_1 = helper")),
        ("code", "check(answer_1)"),
        ("markdown", "Next."),
        ("code", ask("answer_2 = 2")),
        ("markdown", folded("answer_2 = 2")),
        ("markdown", "End."),
    ]
    assert made.cells[3].metadata["jupyter"]["source_hidden"]
    nbformat.validate(made)


@pytest.mark.book
@pytest.mark.parametrize("name", CHAPTERS)
def test_nothing_of_the_markup_is_left(name):
    made = nbformat.read(
        HTML / NOTEBOOK_FOLDER / "chapters" / f"{name}.ipynb", as_version=4
    )
    nbformat.validate(made)
    text = "\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    assert not re.findall(
        r"\{[a-z:]+\}`|^```\{|^:::|^:label:|\x00|<container|system_message",
        text,
        re.MULTILINE,
    )
    assert not re.findall(r"\\begin\{prf|#[a-z]+-[a-z0-9-]+\)|\.html", prose)
    for heading in re.findall(r"> \*\*(?:Theorem|Definition|Algorithm)[^*]*\*\*", text):
        assert re.search(r"\d", heading), heading


@pytest.mark.book
@pytest.mark.parametrize("name", CHAPTERS)
def test_no_code_is_lost(name):
    made = nbformat.read(
        HTML / NOTEBOOK_FOLDER / "chapters" / f"{name}.ipynb", as_version=4
    )
    code = [cell.source for cell in made.cells if cell.cell_type == "code"][1:]
    source = [
        cell
        for cell in jupytext.read(ROOT / "chapters" / f"{name}.md").cells
        if cell.cell_type == "code"
    ]
    kept = [cell for cell in source if not only_glues(cell.source)]
    assert [
        cell.source for cell in kept if "solution" not in cell.metadata.get("tags", [])
    ] == [one for one in code if not one.startswith("# Your answer")]
    asked = sum("solution" in cell.metadata.get("tags", []) for cell in kept)
    assert sum(one.startswith("# Your answer") for one in code) == asked
    folds = [
        cell.source
        for cell in made.cells
        if cell.source.startswith("<details><summary>The solution")
    ]
    assert len(folds) == asked


@pytest.mark.book
def test_without_a_repository_the_wheel_lies_beside():
    made = nbformat.read(
        HTML / NOTEBOOK_FOLDER / "chapters" / "watchdog.ipynb", as_version=4
    )
    (wheel,) = (HTML / NOTEBOOK_FOLDER).glob("*.whl")
    assert wheel.name in made.cells[0].source or "git+" in made.cells[0].source
    page = (HTML / "chapters" / "watchdog.html").read_text(encoding="utf-8")
    assert wheel.name in page
    assert ("git+" in made.cells[0].source) == ("mybinder.org" in page)
