"""The letters of each figure can be read on a phone: they are 10 px high or more."""

import re
from pathlib import Path

import pytest
from asked import HTML, ROOT

TEXT_WIDTH = 358  # of a page of 390 px
PIXELS = 4 / 3  # a figure is never larger than it was drawn
LARGE_SIZE = 30  # points: signs, not letters

DRAWING = re.compile(
    r'<a class="companion-drawing"[^>]*?href="([^"]+)".*?</a>', re.DOTALL
)
LETTERS = re.compile(
    r"translate\(([-\d.]+) ([-\d.]+)\) (?:rotate\([^)]*\) )?scale\(([\d.]+) -"
)
PAGES = sorted(path.stem for path in (ROOT / "chapters").glob("*.md"))


def heights(page):
    """Yield each figure's file and the height of its smallest letters, which depends on
    the panel that they are in.
    """
    for drawing in DRAWING.finditer(page.read_text(encoding="utf-8")):
        svg = (page.parent / drawing[1]).read_text(encoding="utf-8")
        boxes = [
            [float(side) for side in box.split()]
            for box in re.findall(r'(?i)viewbox="(.*?)"', drawing[0])
        ]
        found = []
        for text in LETTERS.finditer(svg):
            across, down, size = float(text[1]), float(text[2]), 100 * float(text[3])
            widths = [
                wide
                for left, top, wide, tall in boxes
                if left <= across <= left + wide and top <= down <= top + tall
            ]
            if size < LARGE_SIZE and widths:
                found.append(size * min(PIXELS, TEXT_WIDTH / min(widths)))
        assert found
        yield Path(drawing[1]).name, round(min(found))


@pytest.mark.book
@pytest.mark.parametrize("name", PAGES)
def test_letters_of_figures_are_10_px_high_on_a_phone(name):
    page = HTML / "chapters" / f"{name}.html"
    small = {source: height for source, height in heights(page) if height < 10}
    assert not small
