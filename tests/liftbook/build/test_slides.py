"""Slides: numbers are computed, meetings complete, and each slide fits."""

import re

import pytest
from asked import CHAPTERS, HTML
from messages import raised

from companion.chromium import find_chromium
from companion.course.plan import (
    CODE_CELL,
    COURSE_FOLDER,
    IN_CLASS,
    SLIDE,
    meetings,
    read_meeting,
    slide_minutes,
)
from companion.course.slides import (
    HEIGHT,
    PLACEHOLDER,
    READY,
    WIDTH,
    computed,
    framed,
    print_slides,
)
from liftbook.build.book import ROOT

SOURCES = sorted((ROOT / COURSE_FOLDER).glob("*.md"))
each = pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)

PLANNED = "reading: [], goals: [], plan: {Toss: a}, homework: []"
OUTSIDE = """([width, height]) => {
  const inside = one =>
    one.closest('aside, svg') || one.parentElement.closest('mjx-container');
  return [...Reveal.getCurrentSlide().querySelectorAll('*')].filter(one => {
    const box = one.getBoundingClientRect();
    const far = box.left < 0 || box.top < 0 || box.right > width || box.bottom > height;
    return box.width && !inside(one) && far;
  }).map(one => `${one.tagName} ${one.textContent.slice(0, 40)}`);
}"""
"""What of a slide, with all its fragments, lies outside; parts of formulas reach
further than what is seen of them.
"""


def body(path):
    """Return the slides that a lecturer wrote, without code and computed values."""
    text = path.read_text(encoding="utf-8").partition("\n---\n")[2]
    return PLACEHOLDER.sub("", CODE_CELL.sub("", text))


@pytest.mark.parametrize(
    "text", ["{{ missing }}", "\n```{code-cell} ipython3\n1 / 0\n```\n"]
)
def test_a_slide_that_cannot_be_computed_is_named(text):
    with raised(ValueError):
        computed(text, "1-coins.md")


@pytest.mark.parametrize(
    ("name", "course", "said"),
    [
        ("coins.md", "", ""),
        ("1-coins.md", "reading: [], goals: []", ""),
        ("1-coins.md", PLANNED, "*78 minutes, alone.*"),
        ("1-coins.md", PLANNED, "*88 minutes, alone.*\n\n88 minutes."),
        ("1-coins.md", PLANNED, "Toss."),
        ("1-coins.md", PLANNED.replace("Toss", "Throw"), "88 minutes."),
        ("1-coins.md", PLANNED.replace("[]", "[srr]"), "88 minutes."),
    ],
)
def test_a_meeting_that_cannot_be_read(tmp_path, name, course, said):
    (tmp_path / name).write_text(
        f"---\ncourse: {{{course}}}\n---\n\n# Coins\n\n## Toss\n\n{said}\n"
    )
    with raised(ValueError):
        read_meeting(tmp_path / name, CHAPTERS)


@each
def test_no_number_is_typed_by_hand(path):
    """Neither on a slide nor in its notes; a placeholder computes."""
    shown = re.sub(r"(?:LIP|LDP)\([^)]*\)|e\^\{[^}]*\}", "", body(path))
    typed = r"\d[.,]\d+|[1-9]\d* ?\\?%|\d+ of \d+|\d+/\d\d+|frac\{\d\d+\}"
    assert not re.findall(typed, shown)
    filled = PLACEHOLDER.findall(path.read_text(encoding="utf-8"))
    assert not [one for one, _ in filled if re.fullmatch(r"[\d.]+", one)]


@each
def test_plan_and_clock_have_the_minutes_of_the_slides(path):
    meeting = read_meeting(path, CHAPTERS)
    assert sum(minutes for minutes, _ in meeting.plan) == IN_CLASS
    slides = framed(path.read_text(encoding="utf-8"), meeting, "..")
    clock = {
        slide["title"]: int(timing[1])
        for slide in SLIDE.finditer(slides)
        if (timing := re.search(r":data-timing: (\d+)", slide["body"]))
    }
    assert sum(clock.values()) == 60 * IN_CLASS
    for title, minutes in slide_minutes(body(path), path.name).items():
        assert clock[title] == 60 * minutes, title


def test_meetings_are_numbered():
    assert [one.number for one in meetings(ROOT / COURSE_FOLDER, CHAPTERS)] == [
        int(path.name[0]) for path in SOURCES
    ]
    page = (CHAPTERS / "for-teachers.md").read_text(encoding="utf-8")
    for one in meetings(ROOT / COURSE_FOLDER, CHAPTERS):
        assert f"### Meeting {one.number}: {one.title}\n" in page
        assert f"```{{course-meeting}} {one.number}\n" in page


@pytest.mark.browser
@each
def test_every_slide_fits_and_has_notes(browser, site, path):
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT})
    page, said, asked = context.new_page(), [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site}{COURSE_FOLDER}/{path.stem}.html", wait_until="networkidle")
    page.wait_for_function(READY)
    # title, goals, plan, homework
    assert page.evaluate("Reveal.getTotalSlides()") == body(path).count("\n## ") + 4
    timed = "Reveal.getSlidesAttributes().map(one => Number(one['data-timing'] ?? 0))"
    assert sum(page.evaluate(timed)) == 60 * IN_CLASS
    for slide in page.evaluate("Reveal.getSlides().map(one => Reveal.getIndices(one))"):
        page.evaluate(
            "([h, v]) => Reveal.slide(h, v, 99)", [slide["h"], slide.get("v", 0)]
        )
        heading = page.evaluate(
            "Reveal.getCurrentSlide().querySelector('h1, h2').textContent"
        )
        assert page.evaluate("Reveal.getSlideNotes().trim().length") > 20, heading
        assert page.evaluate(OUTSIDE, [WIDTH, HEIGHT]) == [], heading
        assert (
            page.evaluate(
                "Reveal.getCurrentSlide().querySelectorAll('mjx-merror').length"
            )
            == 0
        ), heading
    assert said == []
    assert all(url.startswith((site, "data:")) for url in asked), (
        "it works without a network"
    )
    context.close()


@pytest.mark.slow
@pytest.mark.book
@pytest.mark.skipif(find_chromium() is None, reason="no Chromium on this machine")
def test_slides_are_printed_one_page_each(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    from pypdf import PdfReader

    for one in HTML.iterdir():
        (tmp_path / one.name).symlink_to(one)
    (tmp_path / COURSE_FOLDER).unlink()
    (tmp_path / COURSE_FOLDER).mkdir()
    for one in (HTML / COURSE_FOLDER).iterdir():
        (tmp_path / COURSE_FOLDER / one.name).symlink_to(one)
    for path in SOURCES:
        (tmp_path / COURSE_FOLDER / f"{path.stem}.pdf").unlink(missing_ok=True)
    # one that starts a browser may have none open, as other tests have
    with ThreadPoolExecutor(1) as other:
        made = other.submit(
            print_slides, tmp_path, [path.stem for path in SOURCES], COURSE_FOLDER
        ).result()
    for pdf, path in zip(made, SOURCES, strict=True):
        pages = PdfReader(pdf).pages
        assert len(pages) == body(path).count("\n## ") + 4
        places = list[float]()

        def place(words, matrix, position, *_, places=places):
            if words.strip():
                places.append(matrix[0] * position[4] + matrix[4])

        text = "".join(page.extract_text(visitor_text=place) for page in pages)
        assert min(places) > 28, (
            "points, a centimetre from the edge, which printers cut"
        )
        assert "Take away" in text
        assert not re.search(r"\\\(|\\\[|NaN", text)
