"""The letters of each figure can be read on a phone: they are 10 px high or more."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HTML = ROOT / "_build" / "html"
TEXT_WIDTH = 358  # of a page of 390 px
PIXELS = 4 / 3  # a figure is never larger than it was drawn
LARGE_SIZE = 30  # points: signs, not letters

DRAWING = re.compile(
    r'<a class="companion-drawing"[^>]*?href="([^"]+)".*?</a>', re.DOTALL
)
PAGES = sorted(path.stem for path in (ROOT / "chapters").glob("*.md"))


def heights(page):
    """Yield each figure's file and the height of its smallest letters."""
    for drawing in DRAWING.finditer(page.read_text(encoding="utf-8")):
        svg = (page.parent / drawing[1]).read_text(encoding="utf-8")
        sizes = [100 * float(one) for one in re.findall(r"scale\(([\d.]+) -", svg)]
        letters = [size for size in sizes if size < LARGE_SIZE]
        widths = [
            float(box.split()[2])
            for box in re.findall(r'(?i)viewbox="(.*?)"', drawing[0])
        ]
        assert letters
        assert widths
        scale = min(PIXELS, TEXT_WIDTH / max(widths))
        yield Path(drawing[1]).name, round(scale * min(letters), 1)


@pytest.mark.book
@pytest.mark.parametrize("name", PAGES)
def test_letters_of_figures_are_10_px_high_on_a_phone(name):
    page = HTML / "chapters" / f"{name}.html"
    small = {source: height for source, height in heights(page) if height < 10}
    assert not small
