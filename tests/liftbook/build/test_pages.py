"""What the build adds to the pages: icons cut to what is shown, folds, panels, and the
glossary.
"""

import json
import re

import pytest
import yaml
from asked import HTML, ROOT

from companion.sphinx.glossary import words
from liftbook.build.sphinx.pictures import picture
from liftlib.datasets import hundred_people
from liftlib.measures.lifts import lift


def test_the_first_page_says_what_its_picture_shows():
    joint = hundred_people(decades=True)
    text = " ".join((ROOT / "intro.md").read_text(encoding="utf-8").split())
    shown = picture(joint, 100)
    assert shown.count("<circle") == 200
    lifts, beliefs = lift(joint)[0], joint.s_given_x[0]
    highest, lowest = int(lifts.argmax()), int(lifts.argmin())
    assert (joint.public[highest], joint.public[lowest]) == ("70s", "20s")
    assert (
        f"a probability of {100 * beliefs[highest]:.0f} % instead of"
        f" {100 * joint.p_s[0]:.0f} %" in text
    )
    assert (
        f"{lifts[highest]:.1f} for people in their seventies, and {lifts[lowest]:.2f}"
        " for people in their" in text
    )
    assert all(f"lift {one:.2f}" in shown for one in lifts)


def test_a_page_says_what_runs_in_the_browser_before_what_needs_an_installation():
    """The buttons stand below a page's first figure."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    tools = config["sphinx"]["config"]["companion_browser"]["tools"]
    labels = {"rerun": "Run this page", "your-own-data": tools["table"]["label"]}
    for page, label in labels.items():
        text = (ROOT / "chapters" / f"{page}.md").read_text(encoding="utf-8")
        prose = re.sub(r"```.*?```", "", text.partition("\n# ")[2], flags=re.DOTALL)
        assert 0 < prose.find(f"*{label}*") < prose.find("`liftbook rerun"), page


@pytest.mark.book
def test_every_icon_on_a_page_has_its_glyph():
    from fontTools.ttLib import TTFont

    folder = HTML / "_static" / "icons"
    rules = (HTML / "_static" / "styles" / "theme.css").read_text(encoding="utf-8")
    glyphs = {
        code
        for font in folder.glob("*.woff")
        for table in TTFont(font)["cmap"].tables
        for code in table.cmap
    }
    shown = set()
    for page in HTML.rglob("*.html"):
        shown |= set(
            re.findall(
                r'class="[^"]*\bfa(?:[srb]|-solid|-regular|-brands)? (fa-[a-z0-9-]+)',
                page.read_text(encoding="utf-8"),
            )
        )
    assert len(shown) > 5
    for name in shown - {"fa-lg", "fa-fw"}:
        (code,) = re.findall(
            rf"\.{name}:before[^{{]*\{{content:\"\\([0-9a-f]+)\"", rules
        )
        assert int(code, 16) in glyphs, name
    sheets = "".join(
        path.read_text(encoding="utf-8") for path in folder.parent.glob("styles/*.css")
    )
    literal = {ord(character) for character in re.findall("[\ue000-\uf8ff]", sheets)}
    assert literal, "the theme writes the icons of its boxes as characters"
    assert literal <= glyphs
    assert not (HTML / "_static" / "vendor" / "fontawesome").exists()
    assert sum(path.stat().st_size for path in folder.iterdir()) < 60_000


@pytest.mark.book
def test_drawings_say_what_they_are():
    page = (HTML / "chapters" / "watchdog.html").read_text(encoding="utf-8")
    alts = re.findall(r'class="companion-drawing".*?aria-label="([^"]*)"', page)
    assert (
        len(alts)
        == (ROOT / "chapters" / "watchdog.md")
        .read_text(encoding="utf-8")
        .count("    alt: ")
        >= 3
    )
    assert all(len(alt) > 40 for alt in alts)
    assert len(re.findall("<svg [^>]*style", page)) > len(alts), (
        "a figure of several panels is shown panel by panel"
    )
    for source in set(re.findall(r'<image href="([^"]+)"', page)):
        assert (HTML / "chapters" / source).resolve().exists()


TEXT = (ROOT / "chapters" / "glossary.md").read_text(encoding="utf-8")
LETTERS = re.findall(
    r"\w+",
    """alpha beta gamma delta epsilon varepsilon zeta eta theta kappa lambda mu nu
    xi pi rho sigma tau phi varphi chi psi omega ell""",
)
GREEK = re.compile(
    rf"\\({'|'.join(f'{one}|{one.title()}' for one in LETTERS)})(?![a-zA-Z])"
)


def maths(text):
    return " ".join(re.findall(r"\$\$.*?\$\$|\$[^$\n]+\$", text, re.DOTALL))


def test_words_stand_in_order_and_each_says_something():
    found = words(TEXT)
    assert len(found) > 35
    assert found == sorted(found, key=str.lower)
    assert len(re.findall(r"^  \S", TEXT, re.MULTILINE)) == len(found)


def test_each_greek_letter_of_the_chapters_has_its_line():
    known = set(GREEK.findall(maths(TEXT.partition("## Symbols")[2])))
    used = {
        letter: path.stem
        for path in sorted((ROOT / "chapters").glob("*.md"))
        for letter in GREEK.findall(maths(path.read_text(encoding="utf-8")))
    }
    assert {letter: page for letter, page in used.items() if letter not in known} == {}


NO_ORDER = re.compile(
    r"1\s*-\s*\\alpha|\be\^\{?-?\\alpha|\\alpha\s*(?:=|\\ge|\\in)\s*[(\[]?(?:0|1(?!0))"
    r"|(?:share|parameter|budget|error|odds)\s+\$\\alpha|\\alpha\$?-LDP"
)
"""What is said of a share, of a budget or of a chance, and not of an order above 1."""


@pytest.mark.parametrize(
    "path",
    [*sorted((ROOT / "chapters").glob("*.md")), ROOT / "data" / "claims.csv"],
    ids=lambda one: one.stem,
)
def test_alpha_is_an_order_and_nothing_else(path):
    text = path.read_text(encoding="utf-8")
    assert [
        text[max(0, hit.start() - 40) : hit.end() + 20]
        for hit in NO_ORDER.finditer(text)
    ] == []
    code = " ".join(re.findall(r"```\{code-cell\}.*?```", text, re.DOTALL))
    if path.stem in ("linear-reduction", "conditional-reporting", "population"):
        assert not re.search(r"\balphas?\b", code)


@pytest.mark.book
def test_every_link_to_a_theorem_or_a_word_has_its_preview():
    html = ROOT / "_build" / "html"
    script = (html / "_static" / "previews-of.js").read_text(encoding="utf-8")
    found = json.loads(
        script.removeprefix("window.companionPreviews = ").removesuffix(";\n")
    )
    page = (html / "chapters" / "watchdog.html").read_text(encoding="utf-8")
    terms = re.findall(r'href="(glossary\.html#term-[^"]+)"', page)
    assert len(terms) > 10
    assert all(f"chapters/{one}" in found for one in terms)
    assert "chapters/watchdog.html#def-notions" in found
    assert len(script) < 1_500_000


@pytest.mark.book
@pytest.mark.browser
def test_a_preview_shows_beside_its_link(site, browser):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site}chapters/watchdog.html")
    page.wait_for_load_state("networkidle")
    assert not [url for url in asked if "previews-of" in url]
    box, term = (
        page.locator("#lift-preview"),
        page.locator("article a[href*='#term-']").first,
    )
    assert not box.is_visible()
    term.focus()
    box.wait_for(state="visible")
    assert "symbol" in box.inner_text().lower()
    assert term.get_attribute("aria-describedby") == "lift-preview"
    where = box.bounding_box()
    assert where["x"] >= 0
    assert where["x"] + where["width"] <= 390
    page.keyboard.press("Escape")
    assert not box.is_visible()
    page.goto(f"{site}chapters/linear-reduction.html")
    theorem = page.locator("article a[href='#prop-lr-tv']").first
    theorem.scroll_into_view_if_needed()
    theorem.hover()
    box.wait_for(state="visible")
    page.wait_for_selector("#lift-preview mjx-container")
    assert all(url.startswith(site) for url in asked)
    page.close()
