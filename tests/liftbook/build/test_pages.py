"""What the build adds to the pages: icons cut to what is shown, folds, panels."""

import re
from pathlib import Path

import pytest

from liftbook.build.sphinx.pictures import picture
from liftlib.datasets import hundred_people
from liftlib.measures.lifts import lift

ROOT = Path(__file__).resolve().parents[3]
HTML = ROOT / "_build" / "html"


def test_the_first_page_says_what_its_picture_shows():
    joint = hundred_people(decades=True)
    text = " ".join((ROOT / "intro.md").read_text(encoding="utf-8").split())
    shown = picture(joint, 100)
    assert shown.count("<circle") == 200
    lifts, beliefs = lift(joint)[0], joint.s_given_x[0]
    highest, lowest = int(lifts.argmax()), int(lifts.argmin())
    assert (joint.public[highest], joint.public[lowest]) == ("70s", "20s")
    assert f"with {100 * beliefs[highest]:.0f} % instead of {100 * joint.p_s[0]:.0f} %" in text
    assert f"{lifts[highest]:.1f} for people in their seventies, and {lifts[lowest]:.2f} for people in their" in text
    assert all(f"lift {one:.2f}" in shown for one in lifts)


@pytest.mark.book
def test_every_icon_on_a_page_has_its_glyph():
    from fontTools.ttLib import TTFont

    folder = HTML / "_static" / "icons"
    rules = (HTML / "_static" / "styles" / "theme.css").read_text(encoding="utf-8")
    glyphs = {code for font in folder.glob("*.woff") for table in TTFont(font)["cmap"].tables for code in table.cmap}
    shown = set()
    for page in HTML.rglob("*.html"):
        shown |= set(
            re.findall(
                r'class="[^"]*\bfa(?:[srb]|-solid|-regular|-brands)? (fa-[a-z0-9-]+)', page.read_text(encoding="utf-8")
            )
        )
    assert len(shown) > 5
    for name in shown - {"fa-lg", "fa-fw"}:
        (code,) = re.findall(rf"\.{name}:before[^{{]*\{{content:\"\\([0-9a-f]+)\"", rules)
        assert int(code, 16) in glyphs, name
    sheets = "".join(path.read_text(encoding="utf-8") for path in folder.parent.glob("styles/*.css"))
    literal = {ord(character) for character in re.findall("[\ue000-\uf8ff]", sheets)}
    assert literal, "the theme writes the icons of its boxes as characters"
    assert literal <= glyphs
    assert not (HTML / "_static" / "vendor" / "fontawesome").exists()
    assert sum(path.stat().st_size for path in folder.iterdir()) < 60_000


@pytest.mark.book
def test_drawings_say_what_they_are():
    page = (HTML / "chapters" / "watchdog.html").read_text(encoding="utf-8")
    alts = re.findall(r'class="lift-drawing".*?aria-label="([^"]*)"', page)
    assert len(alts) == (ROOT / "chapters" / "watchdog.md").read_text(encoding="utf-8").count("    alt: ") >= 3
    assert all(len(alt) > 40 for alt in alts)
    assert page.count('<svg viewBox="') > len(alts), "a figure of several panels is shown panel by panel"
    for source in set(re.findall(r'<image href="([^"]+)"', page)):
        assert (HTML / "chapters" / source).resolve().exists()
