"""The sources have the form that the tools rely on; the pages are whole."""

import html
import json
import os
import re
from functools import cache
from html.parser import HTMLParser

import pytest
from asked import HTML, ROOT

from companion.project import toc_files
from liftbook.build.book import LONGEST_CHAPTERS
from liftbook.chapters import (
    preview_parameters,
    read_notebook,
    read_parameters,
)
from liftbook.chapters.book import LiftBook
from liftbook.claims import read_claims

NAMES = re.findall(
    r"^\s*(?:- )?(?:file|root): (\S+)", (ROOT / "_toc.yml").read_text(), re.MULTILINE
)
PAGES = [ROOT / f"{name}.md" for name in NAMES]
CODE = [path for path in PAGES if "{code-cell}" in path.read_text(encoding="utf-8")]
RECORDS = {
    (claim.see.partition("#")[0], f"{{doc}}`record-{claim.paper.lower()}`")
    for claim in read_claims()
}
"""The chapters where a claim of a paper is computed, and the link to that paper's page
of the record.
"""
TAUGHT = [
    path
    for path in CODE
    if all(
        word in path.read_text(encoding="utf-8")
        for word in ("tags: [parameters", "```{exercise}")
    )
    and path.stem != "optimality"  # a page of results with two exercises, no lesson
]

book = pytest.mark.book
each_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
each_taught = pytest.mark.parametrize("path", TAUGHT, ids=lambda path: path.stem)


def built_at(path):
    return HTML / path.relative_to(ROOT).with_suffix(".html")


def built(path):
    return built_at(path).read_text(encoding="utf-8")


class Page(HTMLParser):
    """Links, ids and images of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.images = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if "id" in found:
            self.ids.add(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag == "img":
            self.images.append(found)


@cache
def page_at(file):
    """Return a built page, parsed once for all the links that lead to it."""
    return Page(file.read_text(encoding="utf-8"))


def test_every_chapter_is_in_the_book():
    assert {path.stem for path in (ROOT / "chapters").glob("*.md")} <= {
        path.stem for path in PAGES
    }


def test_what_takes_longest_is_in_the_book():
    assert set(LONGEST_CHAPTERS) <= {path.stem for path in toc_files(ROOT)}


@each_taught
def test_a_chapter_has_all_its_parts(path):
    text = path.read_text(encoding="utf-8")
    asked, _, rest = text.partition("After this chapter you will be able to")
    assert "?" in asked.partition("\n# ")[2], "it opens with a question"
    assert "```{admonition} Take away\n:class: tip\n" in rest
    for heading in ("## Exercises", "## Rerun this chapter"):
        assert heading in text, heading
    assert all(link in text for chapter, link in RECORDS if chapter == path.stem)
    assert "```{companion-parameters}" in text
    assert "ran_with(started" in text
    assert f"liftbook rerun {path.stem} " in text
    assert preview_parameters(path)
    LiftBook().check(path, preview_parameters(path))


@each_taught
def test_exercises_have_solution_and_check(path):
    tags = [cell.metadata.get("tags", []) for cell in read_notebook(path).cells]
    exercises = path.read_text(encoding="utf-8").count("```{exercise}")
    assert exercises >= 5
    assert (
        sum("solution" in t for t in tags)
        == sum("check" in t for t in tags)
        == exercises
    )


@each_taught
def test_figures_have_alt_text_and_caption(path):
    for cell in read_notebook(path).cells:
        # words of plots are none
        if cell.cell_type == "code" and re.search(
            r"\bplots\.[a-z]|\bplt\.", cell.source
        ):
            settings = cell.metadata.get("mystnb", {})
            assert len(settings["image"]["alt"]) > 40
            assert settings["figure"]["caption"].strip()


@each_taught
def test_numbers_glued_are_used(path):
    text = path.read_text(encoding="utf-8")
    # the name itself, or one of those that a loop goes through
    made = re.findall(r'"([\w-]+)"', text)
    for name in set(re.findall(r"\{glue:text\}`([\w-]+)", text)):
        assert name in made or re.search(r'glue\(\s*f"[^"]*\{', text), name


@book
@each_page
def test_page_is_whole(path):
    text = built(path)
    assert 'class="output stderr' not in text, "a warning stands on the page"
    assert "Traceback (most recent call last)" not in text
    assert "problematic" not in text
    for image in page_at(built_at(path)).images:
        assert image.get("alt"), image


@book
@each_taught
def test_parameters_are_explained(path):
    table = (
        built(path).partition('class="companion-parameters')[2].partition("</table>")[0]
    )
    shown = re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]+>", "", table)))
    # the page's own quotation marks
    shown = shown.translate(str.maketrans("‘’“”", "''\"\""))
    for parameter in read_parameters(path):
        assert parameter.comment in shown, parameter.name


@book
@each_page
def test_internal_links_lead_somewhere(path):
    folder = built_at(path).parent
    for link in page_at(built_at(path)).links:
        if re.match(r"[a-z]+:", link) or link in ("", "#"):
            continue
        if link == "lift-companion.pdf" and '<p class="companion-pdf" hidden' in built(
            path
        ):
            continue  # `make pdf` makes it and shows it
        if link.endswith(".pdf") and 'class="course-pdf" hidden' in built(path):
            continue  # so does `make course`
        target, _, anchor = link.partition("#")
        file = (
            (folder / target.split("?")[0]).resolve()
            if target
            else folder / path.with_suffix(".html").name
        )
        assert file.exists(), link
        if anchor and file.suffix == ".html":
            assert anchor in page_at(file).ids, link


@book
@pytest.mark.parametrize("path", CODE, ids=lambda path: path.stem)
def test_buttons_point_at_real_notebooks(path):
    import nbformat

    name = f"{path.relative_to(ROOT).with_suffix('.ipynb')}"
    notebook = nbformat.read(HTML / "_notebooks" / name, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    links = page_at(built_at(path)).links
    launches = [
        link for link in links if "mybinder.org" in link or "colab.research" in link
    ]
    slug = os.environ.get("GITHUB_REPOSITORY")
    assert sorted(launches) == (
        [
            f"https://colab.research.google.com/github/{slug}/blob/notebooks/{name}",
            f"https://mybinder.org/v2/gh/{slug}/notebooks?urlpath=lab/tree/{name}",
        ]
        if slug
        else []
    )
    for folder, file in (
        ("_notebooks", name),
        ("_sources", name.replace(".ipynb", ".md")),
    ):
        (link,) = [link for link in links if link.endswith(f"{folder}/{file}")]
        assert (built_at(path).parent / link).exists()


@book
def test_search_index_knows_the_chapters():
    index = (HTML / "searchindex.js").read_text(encoding="utf-8")
    data = json.loads(index[index.index("{") : index.rindex("}") + 1])
    assert set(NAMES) <= set(data["docnames"])
