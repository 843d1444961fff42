"""The living picture in Chromium."""

import re

import numpy as np
import pytest
from alone import assert_it_fits_and_can_be_heard, opener
from asked import ROOT
from messages import as_stored, raised
from test_living_lift import MECHANISMS

import liftlib as ll
from liftbook.build.sphinx.pictures import (
    MECHANISMS as IN_ORDER,
)
from liftbook.build.sphinx.pictures import (
    PICTURE_PARTS,
    WORDS_CLASS,
    introduced,
    page,
    place,
    script,
    tables,
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("browser"),
]
WATCHDOG = "mechanism=watchdog&eps=1&lambda=0.5"
STATES = [
    "mechanism=none&eps=1.4&lambda=0.5",
    WATCHDOG,
    "mechanism=srr&eps=1&lambda=0.5&bands=6&more=1",
    "mechanism=aorr&eps=0&lambda=0&more=1",
    "mechanism=cr&eps=4&lambda=1&people=0-0-0-0-0-100",
]


@pytest.fixture(scope="module")
def first(browser, tmp_path_factory):
    """Return a function that opens the first page's picture in a file of its own."""
    yield from opener(
        browser,
        tmp_path_factory.mktemp("first"),
        lambda state: place(state, story=True),
    )


@pytest.fixture(scope="module")
def lesson(browser, tmp_path_factory):
    """Return a function that opens a lesson's picture in a file of its own."""
    made = tmp_path_factory.mktemp("lesson")
    yield from opener(
        browser, made, lambda state: place(state, offers=introduced(state))
    )


@pytest.fixture(scope="module")
def picture_shown(browser, tmp_path_factory):
    """Return a function that opens a picture in a file of its own."""
    yield from opener(browser, tmp_path_factory.mktemp("living"), place)


def told(page):
    return page.locator("[role=status]").inner_text()


def dots_of_groups(page):
    """Return the dots of each group, by symbol and secret as on the page."""
    return page.locator(".lift-cell").evaluate_all(
        "all => all.map(one => one.querySelectorAll('circle').length)"
    )


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, start, end):
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=5)
    page.mouse.up()


def dots_of(page, name):
    return page.locator(f".lift-cell[aria-label^='{name}:']")


def corner(page):
    return page.locator(".lift-corner circle").last


def share(value):
    return f"{round(100 * value, 2):.3g}\u00a0%"


def test_a_person_is_dragged_from_group_to_group(picture_shown):
    page = picture_shown(WATCHDOG)
    assert dots_of_groups(page) == [2, 28, 5, 35, 13, 17]
    drag(
        page,
        middle(dots_of(page, "young, none").locator("circle").first),
        middle(dots_of(page, "old, condition")),
    )
    assert dots_of_groups(page) == [2, 27, 5, 35, 14, 17]
    assert page.evaluate("location.hash").endswith("people=2-5-14-27-35-17")
    joint = ll.Joint.from_counts([[2, 5, 14], [27, 35, 17]])
    before = ll.evaluate(joint, ll.Channel.identity(3))
    lifts = (
        f"{np.exp(-before.min_lift_leakage):.2f} to"
        f" {np.exp(before.max_lift_leakage):.2f}"
    )
    assert lifts in page.locator(".lift-side tbody tr").first.inner_text()
    # back to where it came from, and to nowhere
    drag(
        page,
        middle(dots_of(page, "old, condition").locator("circle").first),
        middle(dots_of(page, "old, none")),
    )
    drag(page, middle(dots_of(page, "old, none").locator("circle").first), (5, 5))
    assert dots_of_groups(page) == [2, 27, 5, 35, 13, 18]
    page.locator("button", has_text="Start again").click()
    assert dots_of_groups(page) == [2, 28, 5, 35, 13, 17]
    assert page.evaluate("location.hash") == ""
    assert page.complaints == []


def test_people_are_moved_by_keyboard_and_by_clicks(picture_shown):
    page = picture_shown(WATCHDOG)
    dots_of(page, "middle, none").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")  # there is no group further to the right
    assert dots_of_groups(page) == [2, 33, 6, 28, 13, 18]
    assert page.evaluate(
        "document.activeElement.getAttribute('aria-label')"
    ).startswith("middle, none: 28 people")
    dots_of(page, "old, none").click()
    assert dots_of(page, "old, none").get_attribute("aria-pressed") == "true"
    for _ in range(2):
        dots_of(page, "young, condition").click()
    assert dots_of_groups(page) == [4, 33, 6, 28, 13, 16]
    page.keyboard.press("Escape")
    dots_of(page, "young, condition").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press(" ")
    assert dots_of_groups(page) == [3, 33, 7, 28, 13, 16]
    assert page.complaints == []


def test_an_empty_group_has_nobody_to_move(picture_shown):
    page = picture_shown("mechanism=none&eps=1&lambda=0.5&people=0-5-13-28-37-17")
    dots_of(page, "young, condition").focus()
    page.keyboard.press("ArrowDown")
    drag(
        page,
        middle(dots_of(page, "young, condition")),
        middle(dots_of(page, "old, none")),
    )
    dots_of(page, "young, condition").click()
    assert dots_of_groups(page) == [0, 28, 5, 37, 13, 17]
    assert dots_of(page, "young, condition").get_attribute("aria-pressed") == "false"
    assert page.complaints == []


def test_the_corner_is_dragged_clicked_and_moved_by_keys(picture_shown):
    page = picture_shown(WATCHDOG)
    x, y = middle(corner(page))
    nat = page.locator(".lift-plane").evaluate("e => e.getScreenCTM().a * 96")
    drag(page, (x, y), (x + 0.7 * nat, y - 0.2 * nat))
    assert "eps=1.9&lambda=0.6316" in page.evaluate("location.hash")
    before = told(page)
    slider = page.locator(".lift-corner")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowUp")
    text = slider.get_attribute("aria-valuetext")
    assert re.findall(r"\d\.\d\d", text) == ["2.10", "0.55", "0.32", "2.59"]
    page.mouse.click(x, y)
    # a pixel
    assert float(slider.get_attribute("aria-valuenow")) == pytest.approx(1.0, abs=0.011)
    slider.focus()
    page.keyboard.press("End")
    assert told(page) != before
    as_stored(told(page), "End")
    page.keyboard.press("Home")
    assert page.evaluate("location.hash") == "#mechanism=watchdog&eps=0&lambda=0.5"
    as_stored(told(page), "Home")
    assert page.complaints == []


def test_a_finger_drags_and_scrolls_elsewhere(picture_shown):
    page = picture_shown(WATCHDOG, width=390, has_touch=True, is_mobile=True)
    fingers = page.context.new_cdp_session(page)

    def sweep(start, end):
        for kind, at in [
            ("touchStart", 0),
            *(("touchMove", step / 8) for step in range(1, 9)),
        ]:
            x, y = ((1 - at) * a + at * b for a, b in zip(start, end, strict=True))
            fingers.send(
                "Input.dispatchTouchEvent",
                {"type": kind, "touchPoints": [{"x": x, "y": y}]},
            )
        fingers.send(
            "Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []}
        )

    sweep(middle(dots_of(page, "young, none")), middle(dots_of(page, "old, none")))
    page.wait_for_function("location.hash.includes('people=2-5-13-27-35-18')")
    x, y = middle(corner(page))
    sweep((x, y), (x + 30, y))
    page.wait_for_function("!location.hash.includes('eps=1&')")
    assert page.evaluate("scrollY") == 0
    sweep((300, 300), (300, 150))
    page.wait_for_function("scrollY > 0")
    assert page.complaints == []


@pytest.mark.parametrize("name", MECHANISMS)
def test_each_mechanism_shows_the_librarys_numbers(name, picture_shown):
    """On a state that the address asks for, in three and in six age bands."""
    for counts, eps, lam in (
        ([[2, 6, 13], [28, 34, 17]], 0.8, 0.35),
        ([[1, 1, 2, 3, 5, 8], [17, 10, 20, 16, 9, 8]], 1.2, 0.6),
    ):
        cells = "-".join(str(n) for row in counts for n in row)
        table = f"bands={len(counts[0])}&people={cells}"
        address = f"#mechanism={name}&eps={eps}&lambda={lam}&{table}"
        page = picture_shown(WATCHDOG, address=address)
        joint = ll.Joint.from_counts(counts)
        found = ll.evaluate(joint, MECHANISMS[name](joint, ll.ALIP.split(eps, lam)))
        row = page.locator(".lift-side tbody tr").nth(1).inner_text().split("\t")
        assert row[2] == share(found.nmi)
        if name not in ("srr", "aorr"):
            assert (
                row[1] == f"{np.exp(-found.min_lift_leakage):.2f} to"
                f" {np.exp(found.max_lift_leakage):.2f}"
            )
        assert f" {share(found.nmi)} " in told(page)
        assert page.complaints == []


def test_the_address_restores_the_state(picture_shown):
    page = picture_shown("mechanism=none&eps=1&lambda=0.5")
    page.get_by_label("SRR").check()
    page.locator("button", has_text="Six age bands").click()
    page.locator("summary").click()
    page.locator(".lift-corner").focus()
    page.keyboard.press("ArrowUp")
    dots_of(page, "60s, none").focus()
    page.keyboard.press("ArrowDown")
    # a fold says so later than it opens
    page.wait_for_function("location.hash.includes('more=1')")
    address = page.evaluate("location.hash")
    people = "1-1-2-3-5-8-17-11-20-15-8-9"
    state = "#mechanism=srr&eps=1.05&lambda=0.4762&more=1&bands=6&people="
    assert address == state + people
    again = picture_shown(WATCHDOG, address=address)
    assert again.get_by_label("SRR").is_checked()
    assert (told(again), dots_of_groups(again)) == (told(page), dots_of_groups(page))
    again.wait_for_selector(".lift-key li >> nth=6")
    # a link in the page opens another state, and one to a place in the page none
    again.evaluate("location.hash = 'mechanism=grr&eps=2&lambda=0.5'")
    again.wait_for_function("document.querySelector('[value=grr]').checked")
    before = told(again)
    again.evaluate("location.hash = 'elsewhere'")
    assert told(again) == before
    assert page.complaints == again.complaints == []


def choices(page):
    """Return the mechanisms that a reader sees to choose from."""
    return [
        one.get_attribute("value")
        for one in page.locator("fieldset input").all()
        if one.evaluate("e => !e.closest('fieldset').hidden")
    ]


def test_a_lesson_offers_what_was_introduced(lesson):
    page = lesson(
        "mechanism=merging&eps=1&lambda=0.5&bands=6&more=1",
        address="#mechanism=cr&eps=2&lambda=0.5",
    )
    assert choices(page) == ["none", "watchdog", "merging"]
    assert page.locator("fieldset input:checked").get_attribute("value") == "merging"
    page.locator("summary").click()
    page.wait_for_selector("polyline", state="attached")
    assert [
        one.get_attribute("data-name") for one in page.locator("polyline").all()
    ] == ["watchdog", "merging"]
    before = lesson("mechanism=none&eps=1.4&lambda=0.5")
    assert choices(before) == []
    before.locator("summary").click()
    before.wait_for_selector(".lift-ring")
    assert before.locator("polyline").count() == 0
    assert page.complaints == before.complaints == []


def test_the_order_of_the_lessons():
    """Each lesson's picture shows a mechanism that its predecessors did not offer, or
    none.
    """
    text = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    seen = [IN_ORDER[0]]
    for name in re.findall(r"file: (chapters/\S+)", text):
        chapter = (ROOT / f"{name}.md").read_text(encoding="utf-8")
        for mechanism in re.findall(
            r"^`+\{lift-picture\} mechanism=(\w+)", chapter, re.MULTILINE
        ):
            assert introduced(f"mechanism={mechanism}")[: len(seen)] == tuple(seen)
            seen = list(introduced(f"mechanism={mechanism}"))
    assert seen == list(IN_ORDER)
    assert set(IN_ORDER) == {"none", *MECHANISMS}


def test_a_mechanism_that_does_not_exist():
    with pytest.raises(ValueError):  # noqa: PT011 - of one line
        introduced("mechanism=magic&eps=1")


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_first_page_has_three_choices(width, dark, first):
    page = first("mechanism=none&eps=1&lambda=0.5&bands=6", width=width, dark=dark)
    assert page.locator(".lift-plane, details").count() == 0
    assert choices(page) == ["none", "watchdog", "merging"]
    joint = ll.datasets.hundred_people(decades=True)
    for name in ("watchdog", "merging"):
        page.locator(f"fieldset label:has([value={name}])").click()
        released = MECHANISMS[name](joint, ll.LIP(0.5))
        beliefs = released.release(joint).s_given_x[0]
        assert share(ll.evaluate(joint, released).nmi) in told(page)
        assert share(beliefs.min()) in told(page)
        assert share(beliefs.max()) in told(page)
    # the order of Tab is the visible one: choices, people, start again
    tops = page.locator("input:checked, .lift-cell, button").evaluate_all(
        "all => all.map(e => (e.closest('label') || e).getBoundingClientRect().top)"
    )
    assert tops[0] < min(tops[1:-1])
    assert max(tops[1:-1]) < tops[-1]
    assert_it_fits_and_can_be_heard(page, width)


@pytest.mark.parametrize(
    "address",
    [
        "mechanism=magic&eps=-1&lambda=2",
        "mechanism=&eps=x&lambda=",
        "mechanism=watchdog&people=1-2-3&bands=5",
        "top",
    ],
)
def test_an_address_that_makes_no_sense_changes_nothing(address, picture_shown):
    page = picture_shown(WATCHDOG, address=f"#{address}")
    assert dots_of_groups(page) == [2, 28, 5, 35, 13, 17]
    assert page.get_by_label("Watchdog").is_checked()
    assert page.locator(".lift-corner").get_attribute("aria-valuenow") == "1.00"
    assert page.complaints == []


def test_the_lines_of_utility_are_the_librarys(picture_shown):
    page = picture_shown("mechanism=srr&eps=1&lambda=0.5&bands=6&more=1")
    page.wait_for_selector("polyline[data-name=cr]", state="attached")
    joint = ll.datasets.hundred_people(decades=True)
    for name, mechanism in MECHANISMS.items():
        line = page.locator(f"polyline[data-name={name}]").evaluate(
            "e => [...e.points].map(at => at.y)"
        )
        for at in (0, 8, 20):
            utility = ll.evaluate(
                joint, mechanism(joint, ll.ALIP.split(at / 8, 0.5))
            ).nmi
            np.testing.assert_allclose((180 - line[at]) / 165, utility, atol=1e-3)
    words = page.locator(".lift-key li").all_inner_texts()
    assert (
        words[0].strip() == "Watchdog"
        f" {share(ll.evaluate(joint, ll.mechanisms.watchdog(joint, ll.LIP(0.5))).nmi)}"
    )
    as_stored(page.locator(".lift-two").inner_text())


def test_the_triangle_rings_the_outputs(picture_shown):
    """Under the optimum, at corners of the region."""
    page = picture_shown("mechanism=aorr&eps=0.6&lambda=0.5&more=1")
    page.wait_for_selector(".lift-ring")
    rings, corners = (
        page.locator(f".lift-two {name}").evaluate_all(
            "all => all.map(one => one.getBBox()).map(b => [b.x + b.width / 2, b.y +"
            " b.height / 2])"
        )
        for name in ("circle.lift-ring", "rect.lift-safe")
    )
    assert len(rings) == 3
    apart = np.abs(np.array(rings)[:, None] - np.array(corners)[None]).max(axis=2)
    assert apart.min(axis=1).max() < 1e-2


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(("dark", "width"), [(True, 390), (False, 1280)])
def test_it_fits_and_can_be_heard(state, dark, width, picture_shown):
    assert_it_fits_and_can_be_heard(picture_shown(state, dark=dark, width=width), width)


DIMMED = """selector => [...document.querySelectorAll(selector)].map(
    one => Number(getComputedStyle(one).opacity))"""
MARKS = {
    "people": ".lift-cell",
    "flow": ".lift-band",
    "beliefs": ".lift-before, .lift-after-belief",
    "points": ".lift-plane .lift-risky, .lift-plane .lift-safe",
    "outputs": ".lift-after, .lift-ring",
    "rectangle": ".lift-plane .lift-alip, .lift-corner",
    "triangle": ".lift-plane .lift-ldp",
    "region": ".lift-two .lift-alip",
}


def test_slides_open_the_picture_in_their_state(browser, tmp_path):
    (tmp_path / "picture.html").write_text(page(), encoding="utf-8")
    (tmp_path / "book.css").write_bytes((ROOT / "_static" / "book.css").read_bytes())
    opened = browser.new_page(viewport={"width": 1152, "height": 560})
    for path in sorted((ROOT / "course").glob("[3-7]-*.md")):
        (state,) = re.findall(
            r"picture\.html#([^\"]*)", path.read_text(encoding="utf-8")
        )
        opened.goto("about:blank")
        opened.goto(
            f"{(tmp_path / 'picture.html').as_uri()}#{state.replace('&amp;', '&')}"
        )
        assert opened.locator("input:checked").get_attribute(
            "value"
        ) == state.partition("&")[0].removeprefix("mechanism=")
        assert "ε 1.00, λ 0.50" in opened.locator(".lift-plane").text_content()
        assert opened.evaluate(
            "[document.body.scrollWidth, document.body.scrollHeight]"
        ) <= [1152, 560]
        assert opened.evaluate("document.documentElement.scrollHeight") <= 560
    opened.emulate_media(media="print")
    assert opened.locator(".lift-living").is_visible()
    opened.close()


@pytest.mark.parametrize("part", sorted(PICTURE_PARTS))
def test_a_definition_marks_its_part(picture_shown, part):
    button = (
        f'<button class="lift-show" data-parts="{part}" hidden>Show in the'
        " picture</button>"
    )
    page = picture_shown("mechanism=aorr&eps=0.6&lambda=0.5&more=1", before=button)
    pointer = page.get_by_role("button", name="Show in the picture")
    pointer.press("Enter")
    assert pointer.get_attribute("aria-pressed") == "true"
    for name, selector in MARKS.items():
        seen = page.evaluate(DIMMED, selector)
        assert seen, name
        assert all(one < 0.5 for one in seen) == (name != part), name
    pointer.press("Enter")
    assert page.locator("[data-shows]").count() == 0
    pointer.click()
    page.locator(".lift-corner").press("ArrowUp")
    assert page.locator("[data-shows]").count() == 0
    assert pointer.get_attribute("aria-pressed") == "false"
    assert page.complaints == []


def test_without_scripts_it_says_so(picture_shown):
    page = picture_shown(WATCHDOG, java_script_enabled=False)
    as_stored(page.locator(".lift-living").inner_text())


def test_it_starts_from_the_books_people():
    three, six = (np.array(one["counts"]) for one in tables())
    np.testing.assert_allclose(three / 100, ll.datasets.hundred_people().p)
    np.testing.assert_array_equal(six.reshape(2, 3, 2).sum(axis=2), three)


def test_a_state_that_the_picture_does_not_have_is_refused():
    with raised(ValueError):
        place("mechanism=none&epsilon=1")


def test_the_script_is_small_and_cannot_end_itself():
    code = script()
    assert "</script" not in code.lower()
    assert not re.search(r"^(import|export)\b", code, re.MULTILINE)
    assert len(place(STATES[2])) < 60_000


def test_what_the_chapter_says_of_the_four():
    joint = ll.datasets.hundred_people(decades=True)
    budgets = np.linspace(0, 4, 41)
    merging = [
        ll.evaluate(
            joint, ll.mechanisms.subset_merging(joint, ll.ALIP.split(eps, 0.5))
        ).nmi
        for eps in budgets
    ]
    assert np.diff(merging).min() < -0.01
    assert merging[0] == 0
    assert (
        ll.evaluate(joint, ll.mechanisms.optimal(joint, ll.PerfectPrivacy())).nmi > 0.1
    )


@pytest.mark.book
@pytest.mark.parametrize("chapter", ["notation", "aorr", "srr"])
def test_what_to_move_is_said_on_the_page_alone(chapter):
    """A notebook has no picture to be moved, and so no words that ask for it."""
    built = ROOT / "_build" / "html"
    page = (built / "chapters" / f"{chapter}.html").read_text(encoding="utf-8")
    (words,) = re.findall(rf'<div class="{WORDS_CLASS}[^>]*>\s*<p>([\w ]{{8,}})', page)
    notebook = built / "_notebooks" / "chapters" / f"{chapter}.ipynb"
    assert words not in notebook.read_text(encoding="utf-8")


@pytest.mark.book
@pytest.mark.parametrize(
    "chapter",
    [
        "notation",
        "lift-asymmetry",
        "watchdog",
        "subset-merging",
        "aorr",
        "srr",
        "linear-reduction",
        "conditional-reporting",
    ],
)
def test_every_lesson_opens_the_picture(chapter):
    page = (ROOT / "_build" / "html" / "chapters" / f"{chapter}.html").read_text(
        encoding="utf-8"
    )
    assert page.count('class="lift-living"') == 1
