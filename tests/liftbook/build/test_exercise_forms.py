"""Answer forms, in one page for all of them: a page each took 75 seconds."""

import html
import json
import math

import pytest
from asked import ROOT

from companion.exercises import (
    LOOK_AGAIN,
    MIME,
    MORE_DIGITS,
    WRONG_ANSWERS,
    Expected,
    check,
    expect,
)

SCRIPT = ROOT / "companion" / "sphinx" / "static" / "exercises.js"
CHAPTERS = [
    path.stem
    for path in sorted((ROOT / "chapters").glob("*.md"))
    if "```{exercise}" in path.read_text("utf-8")
]
ADDRESS = "http://exercises.test/page.html"

# fill the fields of a form, send it, and read what it says
ANSWER = """
([id, texts]) => {
  const form = document.querySelector(`#${id} form`);
  const fields = [...form.querySelectorAll("input, select")];
  fields.forEach((field, at) => { field.value = texts[at]; });
  form.requestSubmit();
  const said = form.querySelector(".companion-said");
  return {
    right: said.classList.contains("companion-right"),
    said: said.textContent,
    hints: [...form.querySelectorAll(".companion-hints li")].map(
      (item) => item.textContent,
    ),
  };
}
"""


def open_forms(page, wanted):
    """Open a page with a form for each expected answer, by the exercise's label."""
    exercises = "".join(
        f'<div class="exercise admonition" id="{label}"><p'
        ' class="admonition-title">Exercise</p><div class="companion-exercise"'
        f' data-expected="{html.escape(expected.text(), quote=True)}"></div></div>'
        for label, expected in wanted.items()
    )
    body = (
        f'<article class="bd-article">{exercises}</article><script src="exercises.js"'
        ' data-page="test"></script>'
    )
    script = SCRIPT.read_text(encoding="utf-8")
    files = {
        "page.html": (body, "text/html; charset=utf-8"),
        "exercises.js": (script, "text/javascript"),
    }

    def answer(route):
        text, kind = files[route.request.url.rpartition("/")[2]]
        route.fulfill(body=text, content_type=kind)

    page.route("http://exercises.test/*", answer)
    page.goto(ADDRESS)


NUMBERS = [0.0711, 7 / 6, 1 / 8, 0.5, 0.0, -2.4, 1234.5, 1e-6, math.inf, 0.999, 9.996]
NUMBERS += [0.7985]  # 0.80 is 0.8 in Python
TEXTS = [
    "0.07",
    "0.071",
    "0.0711",
    "0.08",
    "1.17",
    "1.2",
    "1.16",
    "1.15",
    "1",
    "0.13",
    "0.12",
    "0.1",
    "0.126",
    "0",
]
TEXTS += [
    "0.5",
    "0.50",
    "0.8",
    "0.80",
    "-2.4",
    "2.4",
    "-2",
    "1234",
    "1235",
    "1233",
    "1200",
    "1e-6",
    "1e-13",
    "inf",
    "0.99",
    "10.0",
]


@pytest.mark.browser
def test_the_form_judges_as_the_check_does(page):
    """Python and the page have the rule twice."""
    open_forms(
        page, {f"ex-{n}": expect(value, ("a", "b")) for n, value in enumerate(NUMBERS)}
    )
    for n, value in enumerate(NUMBERS):
        for text in TEXTS:
            WRONG_ANSWERS.clear()
            number = int(text) if text.lstrip("-").isdigit() else float(text)
            verdict = check(number, value, "a", "b")
            found = page.evaluate(ANSWER, [f"ex-{n}", [text]])
            assert found["right"] == bool(verdict), (value, text)
            assert (MORE_DIGITS in found["said"]) == (verdict.hint == MORE_DIGITS), (
                value,
                text,
            )


@pytest.mark.browser
def test_the_form_asks_for_another_digit_and_gives_no_hint(page):
    open_forms(page, {"ex-one": expect(0.0711, ("direction", "method"))})
    short = page.evaluate(ANSWER, ["ex-one", ["0.07"]])
    assert MORE_DIGITS in short["said"]
    assert short["hints"] == []
    wrong = page.evaluate(ANSWER, ["ex-one", ["0.09"]])
    assert MORE_DIGITS not in wrong["said"]
    assert len(wrong["hints"]) == 1
    assert page.evaluate(ANSWER, ["ex-one", ["7.1 %"]])["right"]
    page.reload()
    assert page.locator("#ex-one").evaluate(
        "one => one.classList.contains('companion-solved')"
    )
    # the exercise has changed: what was solved is forgotten
    page.unroute("http://exercises.test/*")
    open_forms(page, {"ex-one": expect(0.0811, ("direction", "method"))})
    assert not page.locator("#ex-one").evaluate(
        "one => one.classList.contains('companion-solved')"
    )


def filled_wrongly(expected):
    """Return texts that are wrong in each field."""
    texts = []
    for field in expected.fields:
        if field.kind == "choice":
            texts.append(next(one for one in expected.choices if one != field.value))
        else:
            texts.append("-12345.678")
    return texts


def noted_answers(chapter):
    """Return the expected answers and the book's own, as the build noted them."""
    stored = ROOT / "_build" / "jupyter_execute" / "chapters" / f"{chapter}.glue.json"
    notes = [output["data"] for output in json.loads(stored.read_text()).values()]
    return [
        (Expected.read(data[MIME]["expected"]), data[MIME]["answer"])
        for data in notes
        if MIME in data
    ]


@pytest.mark.book
@pytest.mark.browser
def test_each_form_of_the_book_tells_right_from_wrong(page):
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    known = {}
    for chapter in CHAPTERS:
        for number, (expected, answer) in enumerate(noted_answers(chapter)):
            if expected.is_form:
                known[f"ex-{chapter}-{number}"] = expected, answer
    open_forms(page, {label: expected for label, (expected, _) in known.items()})
    for label, (expected, answer) in known.items():
        wrong = page.evaluate(ANSWER, [label, filled_wrongly(expected)])
        assert not wrong["right"], label
        assert len(wrong["hints"]) == 1, label
        assert not any(text in wrong["hints"][0] for text in answer if len(text) > 4), (
            label
        )
        assert page.evaluate(ANSWER, [label, answer])["right"], (label, answer)
    assert page.locator(".companion-solved").count() == len(known)
    assert not errors


@pytest.mark.book
def test_most_exercises_are_judged_on_the_page():
    asked = sum(
        (ROOT / "chapters" / f"{chapter}.md").read_text().count("```{exercise}")
        for chapter in CHAPTERS
    )
    pages = ROOT / "_build" / "html" / "chapters"
    forms = sum(
        (pages / f"{chapter}.html").read_text().count("data-expected")
        for chapter in CHAPTERS
    )
    assert forms >= 0.9 * asked, (forms, asked)


def test_a_single_hint_is_not_the_first():
    assert expect(1.0, ("the way",)).hints == (LOOK_AGAIN, "the way")
