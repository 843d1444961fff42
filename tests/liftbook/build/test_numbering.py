"""One name for each figure, box and exercise: the paper's, or the chapter's number."""

import html
import re
from collections import Counter

import pytest
from asked import HTML, ROOT
from pybtex.database import parse_file
from typed import typed

KINDS = "Algorithm|Definition|Exercise|Figure|Lemma|Theorem"
NAME = re.compile(rf"(?:E23|C22|I21|S20) \w.*\d|(?:{KINDS}) \d+\.\d+")

PAGES = {
    "conf.py": (
        """\
extensions = ["myst_parser", "sphinx_proof", "sphinx_exercise", "sphinxcontrib.bibtex"]
extensions += ["liftbook.build.sphinx.numbering"]
bibtex_bibfiles = ["works.bib"]
bibtex_reference_style = "author_year"
"""
    ),
    "works.bib": (
        """\
@misc{One, title = {T}, year = {2021},
  author = {Ding, Ni and Liu, Yucheng and Farokhi, Farhad}}
@misc{Two, title = {U}, author = {Ding, Ni and Guo, Tao and Xu, Yinfei}, year = {2021}}
@misc{Three, title = {V}, author = {Ding, Ni and Guo, Tao}, year = {2021}}
"""
    ),
    "index.md": "# Front\n\n```{toctree}\none\ntwo\n```\n",
    "one.md": (
        """\
# One

```{prf:theorem} Merging leaks the least (E23 Theorem 1 and Proposition A2)
:label: thm-a
It is in (E23 Theorem 1 and Proposition A2).
```

```{prf:theorem} All or nothing
:label: thm-b
Nothing.
```

```{prf:algorithm} A loop (E23 eqs. (6)-(8))
:label: alg-a
Repeat.
```

```{exercise} A first one
:label: ex-a
Do it.
```

```{math}
:label: eq-a
a = b
```

See {eq}`eq-a`.
"""
    ),
    "two.md": (
        """\
# Two

```{prf:theorem} More (after E23 Propositions 1 and 3)
:label: thm-c
More.
```

```{exercise} A second one
:label: ex-b
Do it.
```

```{code-block} python
:caption: a/file.py

print(1)
```

Cited: {cite:t}`Three`, {cite:t}`Two`, {cite:t}`One`.

```{bibliography}
```

See {prf:ref}`thm-a`, {prf:ref}`thm-b`, {prf:ref}`thm-c`, {prf:ref}`alg-a`,
{prf:ref}`these words <thm-b>`.
"""
    ),
}


def plain_text(text):
    return " ".join(html.unescape(re.sub("<[^>]+>", "", text)).split())


def titles(page):
    return [
        plain_text(title)
        for title in re.findall(
            r'<p class="admonition-title"[^>]*>(.*?)</p>', page, re.DOTALL
        )
    ]


@pytest.fixture(scope="module")
def numbered_pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbered")
    for name, text in PAGES.items():
        (folder / name).write_text(text, encoding="utf-8")
    done = typed("-m sphinx -q -W -b html . out", folder)
    assert done.returncode == 0, done.stderr
    return {
        name: (folder / "out" / f"{name}.html").read_text(encoding="utf-8")
        for name in ("one", "two")
    }


def test_boxes_are_named_by_paper_or_by_chapter(numbered_pages):
    assert titles(numbered_pages["one"]) == [
        "E23 Theorem 1 and Proposition A2 (Merging leaks the least)",
        "Theorem 1.1 (All or nothing)",
        "Algorithm 1.1 (A loop (E23 eqs. (6)-(8)))",
        "Exercise 1.1 (A first one)",
    ]
    assert titles(numbered_pages["two"]) == [
        "Theorem 2.1 (More (after E23 Propositions 1 and 3))",
        "Exercise 2.1 (A second one)",
    ]


def test_only_the_title_loses_the_name_that_it_begins_with(numbered_pages):
    assert numbered_pages["one"].count("E23 Theorem 1 and Proposition A2") == 2


def test_references_use_the_names(numbered_pages):
    links = [
        plain_text(link)
        for link in re.findall(
            r'<a class="reference[^"]*" href="[^"]*#[^"]*">(.*?)</a>',
            numbered_pages["two"],
        )
    ]
    names = [
        "E23 Theorem 1 and Proposition A2",
        "Theorem 1.1",
        "Theorem 2.1",
        "Algorithm 1.1",
        "these words",
    ]
    assert links[-len(names) :] == names


def test_an_equation_has_its_number_alone(numbered_pages):
    pattern = r'<a class="[^"]*" href="#equation-eq-a">.*?</a>'
    (link,) = re.findall(pattern, numbered_pages["one"])
    assert plain_text(link) == "(1.1)"


def test_code_is_named_by_its_file_alone(numbered_pages):
    (caption,) = re.findall(
        r'<div class="code-block-caption">(.*?)</div>', numbered_pages["two"], re.DOTALL
    )
    assert plain_text(caption).rstrip("¶#") == "a/file.py"


def test_works_of_one_year_have_letters(numbered_pages):
    cited = plain_text(
        re.search(r"<p>Cited: (.*?)</p>", numbered_pages["two"], re.DOTALL)[1]
    )
    assert cited == "Ding and Guo [2021], Ding et al. [2021b], Ding et al. [2021a]."


def test_years_in_the_references_are_years():
    entries = parse_file(ROOT / "references.bib").entries.values()
    assert all(re.fullmatch(r"\d{4}|n\.d\.", work.fields["year"]) for work in entries)


def test_every_reference_is_used():
    folders = ("chapters", "liftlib", "lifttables", "liftbook", "mixproof", "release")
    files = [
        path
        for name in folders
        for path in (ROOT / name).rglob("*")
        if path.suffix in (".md", ".py")
    ]
    words = {
        word
        for path in files
        for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))
    }
    assert set(parse_file(ROOT / "references.bib").entries) <= words


@pytest.mark.book
def test_every_name_in_the_book_is_used_once():
    names = Counter()
    for page in HTML.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for number in re.findall(r'<span class="caption-number">(.*?)</span>', text):
            name = plain_text(number)
            assert NAME.fullmatch(name), (page.name, name)
            names[name] += not name.startswith("Figure")
    assert names
    # a definition that two chapters state is the paper's in both
    assert not {
        name
        for name, count in names.items()
        if count > 1 and not re.match("E23|C22|I21|S20", name)
    }
