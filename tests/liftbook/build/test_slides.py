"""Slides: one statement or figure each, nothing cut, and nothing asked for outside the book."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from companion.chromium import find_chromium
from companion.course import __main__ as kit
from companion.course.plan import Exercise, Session, sessions
from companion.course.slides import HEIGHT, LEAST, WIDTH, Slide, deck, document, last, print_slides, slides_of
from liftbook.build.book import ROOT

HTML = ROOT / "_build" / "html"
CHAPTERS = ROOT / "chapters"
BROWSER = pytest.mark.skipif(find_chromium() is None, reason="no Chromium on this machine")
# as `make course` is, which makes the slides; the book has none
slow = pytest.mark.slow
SVG = "xmlns='http://www.w3.org/2000/svg' width='90' height='60'"
DOT = f"data:image/svg+xml,<svg {SVG}><rect width='9' height='9'/></svg>"

PAGE = """<html><head><script>window.MathJax = {}</script></head><body><nav><section><h1>Menu</h1></section></nav>
<article><section id="a"><h1>Coins<a class="headerlink" href="#a">#</a></h1>
<p>Is it fair?</p><p>After this chapter you will be able to</p><ul><li><p>toss</p></li></ul><p>You need: a coin.</p>
<section><h2>Heads<a class="headerlink" href="#h">#</a></h2>
<div class="proof definition admonition"><p class="admonition-title"><span>Definition 1 </span> (Fair)</p>
<section><p>Both sides alike.</p></section></div>
<div class="proof theorem admonition">
<p class="admonition-title"><span>Theorem 1 </span> (Two)</p><section><p>A quarter.</p>
</section></div><details class="lift-proof"><div class="proof admonition"><p>Proof. Count.</p></div></details>
<figure><a class="lift-drawing" href="../_images/one.svg"><span role="img" aria-label="Two &quot;bars&quot;"></span></a>
<figcaption><p><span class="caption-number">Fig. 1 </span>
<span class="caption-text">Heads, tails.</span></p></figcaption></figure>
<figure><svg></svg></figure>
<details class="admonition hide"><p class="admonition-title">Take away the code</p></details>
<div class="tip admonition"><p class="admonition-title">Take away</p><ul><li>Coins are fair.</li></ul></div>
</section></section></article></body></html>"""


def test_one_statement_or_figure_a_slide():
    assert list(slides_of(PAGE)) == [
        Slide("question", "Coins", "<p>Is it fair?</p>"),
        Slide("definition", "Definition 1 (Fair)", "\n<section><p>Both sides alike.</p></section>"),
        Slide("theorem", "Theorem 1 (Two)", "\n<section><p>A quarter.</p>\n</section>"),
        Slide("figure", "Heads", '<img src="../_images/one.svg" alt="Two &quot;bars&quot;"><p>Heads, tails.</p>'),
        Slide("take-away", "Take away: Coins", "<ul><li>Coins are fair.</li></ul>"),
    ]


def test_without_a_question_the_aims():
    (first,) = slides_of(
        "<article><section><h1>Dice</h1><p>After this you will be able to</p><ul><li>roll</li></ul></section></article>"
    )
    assert first.body == "<p>After this you will be able to</p><ul><li>roll</li></ul>"


def test_a_page_that_is_not_built():
    with pytest.raises(ValueError, match="no section with a heading: build the book first"):
        list(slides_of("<html></html>"))


def test_the_last_slide_says_the_minutes():
    made = last("session-7-coins", [Exercise("coins", 1, "ex-a", "A <b>", 10), Exercise("coins", 2, "ex-b", "B", 15)])
    assert made.heading == "At home, 25 minutes: coins"
    assert "<td>A &lt;b&gt;</td><td>10 min</td><td>4 points</td>" in made.body


def test_the_list_on_the_page(tmp_path):
    plan = [Session(1, "Chance & luck", (), (), False, frozenset()), Session(11, "Dice", (), (), False, frozenset())]
    made = [tmp_path / "session-1-slides.pdf", tmp_path / "session-11-student.ipynb"]
    text = kit.listed(made, plan, "liftlib.whl", "liftlib")
    assert re.findall(r"<li>(.*?)</li>", text) == [
        '1. Chance &amp; luck: <a href="../course/session-1-slides.pdf">slides</a>',
        '11. Dice: <a href="../course/session-11-student.ipynb">student</a>',
    ]
    assert kit.PLACE.fullmatch(text), "a second run replaces the list of the first"


@slow
@BROWSER
def test_long_text_shrinks_and_what_does_not_fit_is_refused(browser, site, tmp_path):
    from pypdf import PdfReader

    words, picture = "<p>" + "one two three four " * 60 + "</p>", f'<img src="{DOT}" alt="">'
    slides = [
        Slide("question", "Short", "<p>Is it?</p>"),
        Slide("theorem", "Long", words),
        Slide("figure", "F", picture),
    ]
    told = print_slides(browser, site, document(slides, "Coins", ""), tmp_path / "a.pdf")
    assert [one["heading"] for one in told] == ["Short", "Long", "F"]
    assert told[0]["size"] > told[1]["size"] >= LEAST
    pages = PdfReader(tmp_path / "a.pdf").pages
    assert len(pages) == 3
    for page in pages:
        assert float(page.mediabox.width) / float(page.mediabox.height) == pytest.approx(WIDTH / HEIGHT, rel=0.01)
    for body in (words * 3, "<p>" + "x" * 200 + "</p>", picture + words):
        with pytest.raises(RuntimeError, match=r"slides 1 \(Cut\) do not fit at 20 px"):
            print_slides(browser, site, document([Slide("theorem", "Cut", body)], "Coins", ""), tmp_path / "b.pdf")
        assert not (tmp_path / "b.pdf").exists()


@slow
@BROWSER
def test_nothing_is_asked_for_outside(browser, site, tmp_path):
    page = document([Slide("question", "A", "")], "A", '<script src="http://127.0.0.1:9/a.js"></script>')
    with pytest.raises(RuntimeError, match=r"asks for http://127.0.0.1:9/a.js, outside the book"):
        print_slides(browser, site, page, tmp_path / "a.pdf")


@slow
@pytest.mark.book
@pytest.mark.parametrize("session", sessions(CHAPTERS), ids=lambda one: f"session-{one.number}")
def test_every_chapter_has_its_question_statements_and_take_away(session):
    made = deck(session, HTML)
    kinds = [one.kind for one in made]
    assert (kinds[0], kinds[-1]) == ("title", "home")
    assert kinds.count("question") == len(session.chapters)
    for chapter in session.chapters:
        source = (ROOT / "chapters" / f"{chapter}.md").read_text(encoding="utf-8")
        for kind in ("theorem", "definition", "algorithm"):
            at_least = len(re.findall(rf"\{{prf:{kind}\}}", source))
            assert kinds.count(kind) >= at_least, (chapter, kind)
    assert all("headerlink" not in one.body and "Proof." not in one.body for one in made)


@slow
@pytest.mark.book
@BROWSER
def test_all_eight_are_printed_and_nothing_is_cut(tmp_path):
    from pypdf import PdfReader

    for one in HTML.iterdir():
        (tmp_path / one.name).symlink_to(one)
    (tmp_path / kit.FOLDER).unlink(missing_ok=True)
    (tmp_path / kit.FOLDER).mkdir()
    with ThreadPoolExecutor(1) as other:  # one that starts a browser may have none open, as other tests have
        course = kit.Course("Lift", tmp_path, CHAPTERS, "liftlib")
        made = other.submit(kit.write_slides, course, sessions(CHAPTERS)).result()
    assert len(made) == 8
    for path, session in zip(made, sessions(CHAPTERS), strict=True):
        texts = [page.extract_text() for page in PdfReader(path).pages]
        assert len(texts) == len(deck(session, HTML))
        assert session.title in texts[0]
        assert not re.search(r"\\\(|\\\[|NaN", "".join(texts))
