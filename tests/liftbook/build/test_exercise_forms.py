"""Every exercise of the built book that is judged on its page."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CHAPTERS = [
    path.stem for path in sorted((ROOT / "chapters").glob("*.md")) if "```{exercise}" in path.read_text("utf-8")
]
FIELDS = ".lift-fields input, .lift-fields select, td input, td select"
ANSWER = "application/vnd.companion.answer+json"

pytestmark = [
    pytest.mark.book,
    pytest.mark.browser,
]


def answers(chapter):
    """The answers of the book's own solutions, field by field, by the form's text."""
    stored = ROOT / "_build" / "jupyter_execute" / "chapters" / f"{chapter}.glue.json"
    found = [one["data"][ANSWER] for one in json.loads(stored.read_text()).values() if ANSWER in one["data"]]
    return {one["sealed"]: one["answer"] for one in found}


def filled(form, texts):
    """Write an answer into a form, send it, and return what the form says."""
    for field, text in zip(form.locator(FIELDS).all(), texts, strict=True):
        if field.evaluate("one => one.tagName") == "SELECT":
            field.select_option(text)
        else:
            field.fill(text)
    form.locator(".lift-check").click()
    return form.locator(".lift-said").inner_text()


def wrong(form, right):
    """Return an answer that is wrong in each field."""
    options = form.evaluate("one => [...one.querySelectorAll('select')].map(s => [...s.options].map(o => o.value))")
    of_choice = iter(options)
    made = []
    for text in right:
        try:
            made.append(repr(-3.7 * float(text) - 12345.678))
        except ValueError:
            made.append(next(one for one in next(of_choice) if one not in ("", text)))
    return made


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_each_form_tells_right_from_wrong(page, site, chapter):
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{site}chapters/{chapter}.html")
    known = answers(chapter)
    forms = page.locator(".lift-exercise").all()
    assert forms
    for place in forms:
        right = known[place.get_attribute("data-sealed")]
        form = place.locator("form")
        numeric = form.locator("input").count() == len(right)
        if numeric:
            assert "cannot be read as a number" in filled(form, ["hello?"] * len(right))
            assert form.locator(".lift-hints li").count() == 0
        said = filled(form, wrong(form, right))
        assert said.startswith("Not yet"), (chapter, right, said)
        hints = form.locator(".lift-hints li")
        assert hints.count() == 1
        assert not any(f"{text}" in hints.first.inner_text() for text in right if len(text) > 4)
        assert filled(form, right) == "Right.", (chapter, right)
    solved = page.locator(".lift-progress span").inner_text()
    assert solved.startswith(f"{len(forms)} of "), solved
    page.reload()
    assert page.locator(".lift-progress span").inner_text() == solved
    assert not errors


def test_most_exercises_are_judged_on_the_page():
    asked = sum((ROOT / "chapters" / f"{chapter}.md").read_text().count("```{exercise}") for chapter in CHAPTERS)
    pages = ROOT / "_build" / "html" / "chapters"
    forms = sum((pages / f"{chapter}.html").read_text().count("data-sealed") for chapter in CHAPTERS)
    assert forms >= 0.9 * asked, (forms, asked)
