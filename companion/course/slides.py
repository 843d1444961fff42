"""Slides from the built chapters: the opening question, statements, figures, what to take away; a PDF a session.

A slide is 1280 by 720 px. Chromium sets it, and its text shrinks until it fits, to no less than LEAST px; what still
does not fit is an error.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag

from companion.course.plan import Exercise, Session

WIDTH, HEIGHT = 1280, 720
LARGEST, LEAST = 40, 20
"""Pixels of text: at first, and at the least."""

STYLE = f"""
@page {{ size: {WIDTH}px {HEIGHT}px; margin: 0; }}
html, body {{ margin: 0 !important; padding: 0 !important; background: white; color: #1b1b1b; }}
body {{ display: block !important; font-family: system-ui, sans-serif; }}
.slide {{
  box-sizing: border-box; width: {WIDTH}px; height: {HEIGHT}px; padding: 44px 64px 56px;
  display: flex; flex-direction: column; break-after: page; break-inside: avoid; position: relative;
  overflow: hidden; font-size: {LARGEST}px; line-height: 1.4; }}
.slide:last-child {{ break-after: auto; }}
.slide h2 {{ font-size: 38px; line-height: 1.2; margin: 0 0 20px; color: #1f3a5f; flex: none; }}
.slide .body {{ flex: 1 1 0; min-height: 0; min-width: 0; }}
.slide .body p, .slide .body li {{ font-size: 1em; margin: 0 0 0.5em; }}
.slide .body ul, .slide .body ol {{ margin: 0 0 0.5em; padding-left: 1.3em; }}
.slide .body code {{ font-size: 0.9em; color: inherit; background: none; }}
.slide .body a {{ color: inherit; text-decoration: none; }}
.slide .body table {{ font-size: 0.9em; border-collapse: collapse; }}
.slide .body td, .slide .body th {{ padding: 0.1em 0.9em 0.1em 0; text-align: left; }}
.slide mjx-container {{ font-size: 100% !important; overflow: visible !important; }}
.slide .foot {{
  position: absolute; bottom: 16px; left: 64px; right: 64px; font-size: 16px; color: #555;
  display: flex; justify-content: space-between; }}
.slide.title {{ background: #1f3a5f; color: white; }}
.slide.title h2 {{ color: white; font-size: 60px; margin-top: 60px; }}
.slide.title .foot {{ color: #dde; }}
.slide.figure .body {{ display: flex; flex-direction: column; gap: 12px; }}
.slide.figure img {{ flex: 1 1 0; min-height: 0; width: 100%; object-fit: contain; }}
.slide.figure p {{ flex: none; line-height: 1.3; margin: 0; }}
"""

FIT = """([largest, least]) => [...document.querySelectorAll('.slide')].map((slide, number) => {
  const body = slide.querySelector('.body'), drawn = body.querySelector('img');
  const fits = () => {
    const box = body.getBoundingClientRect();
    // inside a formula, parts of tall brackets reach further than what is seen of them
    const seen = [...body.querySelectorAll('*')].filter(
      one => one.getClientRects().length && !one.parentElement.closest('mjx-math'));
    const inside = seen.map(one => one.getBoundingClientRect()).every(
      at => at.right <= box.right + 1 && at.bottom <= box.bottom + 1);
    return inside && body.scrollWidth <= body.clientWidth + 1 && !(drawn && drawn.getBoundingClientRect().height < 300);
  };
  let size = drawn ? Math.min(24, largest) : largest;
  body.style.fontSize = size + 'px';
  while (!fits() && size > least) body.style.fontSize = --size + 'px';
  const heading = slide.querySelector('h2');
  const whole = heading.scrollWidth <= heading.clientWidth + 1;
  return {number: number + 1, size, fits: fits() && whole, heading: heading.textContent};
})"""
"""Lets each slide's text shrink until it fits; a figure keeps 300 px."""

READY = """() => (window.MathJax ? MathJax.startup.promise : Promise.resolve())
  .then(() => document.fonts.ready).then(() => 0)"""
DRAWN = "() => Promise.all([...document.images].map(one => one.decode())).then(() => 0)"


@dataclass(frozen=True)
class Slide:
    """A slide: its kind, its heading and its body in HTML, with addresses as they are in the chapter's page."""

    kind: str
    heading: str
    body: str


def slides_of(page: str) -> Iterator[Slide]:
    """Yield a chapter's slides, in the order of its built page.

    Parameters
    ----------
    page : str
        HTML of a page as the book lays it out.

    Raises
    ------
    ValueError
        If the page has no heading.
    """
    article = BeautifulSoup(page, "html.parser").select_one("article section")
    if article is None or article.h1 is None:
        raise ValueError("the page has no section with a heading: build the book first (make book)")
    for link in article.select("a.headerlink"):
        link.decompose()
    title = words(article.h1)
    yield Slide("question", title, opening(article))
    for part in article.select("div.proof.admonition, div.admonition, figure"):
        classes = part.get_attribute_list("class")
        kind = next((one for one in ("definition", "theorem", "algorithm") if one in classes), None)
        head = part.select_one("p.admonition-title")
        if part.name == "figure":
            yield from figure(part, title)
        elif kind and "proof" in classes and head:
            yield Slide(kind, words(head), inner(part))
        elif head and words(head) == "Take away":
            yield Slide("take-away", f"Take away: {title}", inner(part))


def opening(article: Tag) -> str:
    """Return the paragraphs before the first list or section: the question; without any, the aims."""
    found = []
    for part in article.find_all(True, recursive=False):
        if part.name == "p":
            found.append(str(part))
        elif part.name == "ul":
            found.append(str(part))
            break
        elif part.name == "section":
            break
    asked = [one for one in found if one.startswith("<p") and "you will be able to" not in one]
    before_aims = asked[
        : next((number for number, one in enumerate(found) if "you will be able to" in one), len(asked))
    ]
    return "".join(before_aims or found)


def figure(part: Tag, title: str) -> Iterator[Slide]:
    """Yield a figure's slide: the drawing whole, and its caption below."""
    drawing = part.select_one("a.lift-drawing")
    image = part.select_one("img")
    source = drawing["href"] if drawing else image["src"] if image else None
    if source is None:
        return  # drawn by the page itself, for a reader who can point
    caption = part.select_one(".caption-text")
    told = f"<p>{caption.decode_contents()}</p>" if caption else ""
    above = part.find_parent("section")
    heading = above.find(["h1", "h2", "h3"]) if above else None
    spoken = part.select_one("[aria-label]")
    alt = str(spoken["aria-label"]) if spoken else str(image.get("alt", "")) if image else ""
    yield Slide(
        "figure", words(heading) if heading else title, f'<img src="{escape(str(source))}" alt="{escape(alt)}">{told}'
    )


def inner(part: Tag) -> str:
    """Return what is in a box below its title."""
    part = copy.copy(part)
    for one in part.select("p.admonition-title"):
        one.decompose()
    return part.decode_contents()


def words(part: Tag) -> str:
    """Return the words of a heading, its formulas as they stand."""
    return " ".join(part.get_text().split())


def first(session: Session) -> Slide:
    """Return a session's first slide: its name, and what is done in class."""
    rows = "".join(f"<li>{escape(plain(what))} ({minutes} min)</li>" for minutes, what in session.in_class)
    return Slide("title", f"{session.number}. {session.title}", f"<ul>{rows}</ul>")


def last(name: str, chosen: list[Exercise]) -> Slide:
    """Return the slide of an assignment: its exercises, minutes and points."""
    rows = "".join(
        f"<tr><td>{escape(one.title)}</td><td>{one.minutes} min</td><td>{one.points} points</td></tr>" for one in chosen
    )
    group = name.split("-", 2)[2:]
    heading = f"At home, {sum(one.minutes for one in chosen)} minutes" + (f": {group[0]}" if group else "")
    return Slide("home", heading, f"<table>{rows}</table>")


def plain(what: str) -> str:
    """Return an activity without the markup of references.

    >>> plain("three rows of the {doc}`ledger`")
    'three rows of the ledger'
    """
    return what.replace("{doc}", "").replace("`", "")


def deck(session: Session, html: Path) -> list[Slide]:
    """Return a session's slides, from the built book."""
    made = [first(session)]
    for chapter in session.chapters:
        made += slides_of((html / session.folder.name / f"{chapter}.html").read_text(encoding="utf-8"))
    return made + [last(name, chosen) for name, chosen in session.assignments.items()]


def document(slides: list[Slide], footer: str, scripts: str) -> str:
    """Return slides as one page of HTML.

    Parameters
    ----------
    slides : list of Slide
        What is shown.
    footer : str
        Said at the foot of each, beside its number.
    scripts : str
        HTML for the head, such as MathJax's.
    """
    body = "".join(
        f'<section class="slide {one.kind}"><h2>{escape(one.heading, quote=False)}</h2>'
        f'<div class="body">{one.body}</div>'
        f'<div class="foot"><span>{escape(footer)}</span><span>{number} / {len(slides)}</span></div></section>'
        for number, one in enumerate(slides, start=1)
    )
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(footer)}</title>{scripts}'
        f"<style>{STYLE}</style></head><body>{body}</body></html>"
    )


def mathjax(page: str) -> str:
    """Return the scripts of a built page that set formulas."""
    found = BeautifulSoup(page, "html.parser").find_all("script")
    return "".join(str(one) for one in found if "MathJax" in one.get_text() or "mathjax" in str(one.get("src", "")))


def print_slides(browser: Any, site: str, page: str, target: Path, folder: str = "chapters") -> list[dict[str, Any]]:
    """Print a page of slides to a PDF.

    Parameters
    ----------
    browser : playwright.sync_api.Browser
        Chromium.
    site : str
        Where the built book is served; nothing else is asked for.
    page : str
        What ``document`` gives.
    target : pathlib.Path
        The PDF.
    folder : str
        In which the chapters' pages are, for addresses of figures.

    Returns
    -------
    list of dict
        For each slide ``number``, ``heading``, ``size`` (px of its text) and ``fits``.

    Raises
    ------
    RuntimeError
        If a slide does not fit, or a picture is missing.
    """
    address, asked = f"{site}{folder}/slides.html", list[str]()
    tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    try:
        tab.on("request", lambda request: asked.append(request.url))
        tab.route(address, lambda route: route.fulfill(body=page, content_type="text/html; charset=utf-8"))
        tab.goto(address, wait_until="networkidle")
        tab.emulate_media(media="print")
        tab.evaluate(READY)
        tab.evaluate(DRAWN)
        told: list[dict[str, Any]] = tab.evaluate(FIT, [LARGEST, LEAST])
        tab.pdf(path=target, prefer_css_page_size=True, print_background=True, outline=False, tagged=True)
    finally:
        tab.close()
    if outside := [one for one in asked if not one.startswith((site, "data:"))]:
        raise RuntimeError(f"{target.name} asks for {outside[0]}, outside the book")
    if cut := [f"{one['number']} ({one['heading']})" for one in told if not one["fits"]]:
        target.unlink()
        raise RuntimeError(
            f"{target.name}: slides {', '.join(cut)} do not fit at {LEAST} px: shorten them in the chapter"
        )
    return told
