"""Directives for what a reader operates in the page: people, the living picture, a
proof, a game, and a slider.

Scripts are embedded in the page, so that no other page loads them and the page also
works as a local file. The content of a directive describes the picture; print and
notebooks omit both.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl

import numpy as np
import pandas as pd
from docutils import nodes  # type: ignore[import-untyped]
from docutils.parsers.rst import directives  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import liftlib as ll
from liftbook.figures.population.plane import DESIGNS, NOTION
from liftbook.figures.stored import LONG
from liftlib.datasets import hundred_people
from liftlib.joint import Joint
from liftlib.measures.lifts import lift
from liftlib.resources import resource

MECHANISMS = ("none", "watchdog", "merging", "aorr", "srr", "linear", "grr", "cr")
"""The mechanisms of the living picture, in the order in which the lessons introduce
them.
"""

STEP, ACROSS = 14, 10
"""Pixels from one person to the next, and people in a row."""


def dots(marked: int, people: int) -> str:
    """Return an SVG of people as dots in rows of ten, the marked ones first."""
    places = [
        (STEP * (at % ACROSS) + STEP // 2, STEP * (at // ACROSS) + STEP // 2)
        for at in range(people)
    ]
    shapes = [
        f'<circle cx="{x}" cy="{y}" r="5"'
        f' class="lift-{"marked" if at < marked else "other"}"/>'
        for at, (x, y) in enumerate(places)
    ]
    box = f"0 0 {STEP * ACROSS} {STEP * -(-people // ACROSS)}"
    return f'<svg viewBox="{box}" aria-hidden="true">{"".join(shapes)}</svg>'


def picture(joint: Joint, people: int) -> str:
    """Return a joint as HTML: everyone, then each symbol's people, with posteriors.

    >>> picture(
    ...     Joint.from_counts([[2, 13], [28, 17]], public=["young", "old"]), 60
    ... ).count("<circle")
    120
    """
    first = str(joint.secret[0])
    groups = [("everyone", people * joint.p_s[0], float(people), 1.0)]
    columns = zip(
        joint.public,
        people * joint.p[0],
        people * joint.p_x,
        lift(joint)[0],
        strict=True,
    )
    groups += [
        (str(name), float(marked), float(total), float(ratio))
        for name, marked, total, ratio in columns
    ]
    shown, descriptions = [], []
    for name, marked, total, ratio in groups:
        belief = f"{marked:.0f} of {total:.0f}: {100 * marked / total:.3g} %"
        descriptions.append(f"{name}: {belief}, lift {ratio:.2f}")
        words = "the belief before" if name == "everyone" else f"lift {ratio:.2f}"
        drawn = dots(round(marked), round(total))
        shown.append(
            f"<div><b>{html.escape(name)}</b>{drawn}<span>{belief}</span>"
            f"<strong>{words}</strong></div>"
        )
    alt = html.escape(
        f"People, those with the {first} marked. {'; '.join(descriptions)}.", quote=True
    )
    return (
        f'<div class="lift-people" role="img" aria-label="{alt}">{"".join(shown)}</div>'
    )


class People(SphinxDirective):
    """``lift-people``: the hundred people of the small table, by group.

    Each group is shown with the probability that a member has the condition, and with
    the lift.
    """

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", picture(hundred_people(), 100), format="html")]


SCRIPT_FOLDER = Path(__file__).parents[1] / "living"
SCRIPTS = ("lift.mjs", "picture.mjs")
WORDS_CLASS = "companion-screen-only"
PEOPLE = 100
STATE_KEYS = {"mechanism", "eps", "lambda", "bands", "people", "more"}
"""Names that a state may contain."""
PICTURE_PARTS = {
    "people",
    "flow",
    "beliefs",
    "points",
    "outputs",
    "rectangle",
    "triangle",
    "region",
}
"""Parts that a definition may mark, as styled in ``_static/book.css``."""


def tables() -> list[dict[str, Any]]:
    """Return the picture's initial tables, with three and with six age bands.

    >>> [sum(map(sum, one["counts"])) for one in tables()]
    [100, 100]
    """
    joints = [hundred_people(), hundred_people(decades=True)]
    return [
        {
            "names": list(map(str, joint.public)),
            "secrets": list(map(str, joint.secret)),
            "counts": [[round(PEOPLE * share) for share in row] for row in joint.p],
        }
        for joint in joints
    ]


def script(names: tuple[str, ...] = SCRIPTS) -> str:
    """Return the modules as one script, without imports and exports."""
    code = "".join((SCRIPT_FOLDER / name).read_text(encoding="utf-8") for name in names)
    return re.sub(r"^export |^import .*\n|^ *//.*\n", "", code, flags=re.MULTILINE)


def introduced(state: str) -> tuple[str, ...]:
    """Return the mechanisms that the lessons have introduced when a picture shows a
    state's mechanism.

    Raise ``ValueError`` if there is no such mechanism.
    """
    shown = dict(parse_qsl(state)).get("mechanism", MECHANISMS[0])
    if shown not in MECHANISMS:
        raise ValueError(
            f"a picture has no mechanism {shown!r}: it has {', '.join(MECHANISMS)}"
        )
    return MECHANISMS[: MECHANISMS.index(shown) + 1]


def place(
    state: str, *, offers: Sequence[str] = MECHANISMS, story: bool = False
) -> str:
    """Return the HTML of a picture with its scripts.

    A reader can choose among the mechanisms that the picture ``offers``; with
    ``story``, among the first page's three. Raise ``ValueError`` if the state has an
    unknown key.
    """
    given = {key for key, _ in parse_qsl(state, strict_parsing=True)}
    if unknown := sorted(given - STATE_KEYS):
        raise ValueError(
            f"a picture's state has no {unknown[0]!r}: it has"
            f" {', '.join(sorted(STATE_KEYS))}"
        )
    facts = {
        "offers": " ".join(offers),
        "state": state,
        "tables": json.dumps(tables()),
    }
    attributes = [f'data-{key}="{html.escape(fact)}"' for key, fact in facts.items()]
    if story:
        attributes.append("data-story")
    still = "<p>With scripts, this is a picture that you can operate.</p>"
    return (
        f'<div class="lift-living" {" ".join(attributes)}>'
        f"<noscript>{still}</noscript></div>"
        f'<script type="module">{script()}</script>'
    )


def page() -> str:
    """Return a page with the picture alone, for slides; its address ends in a state."""
    colours = (
        "--pst-color-background: #fff; --pst-color-text-base: #1b1b1b;"
        " --pst-color-link: #0b5cad"
    )
    return (
        '<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        '<title>The living picture</title><link rel="stylesheet" href="book.css">'
        f"<style>html {{ {colours}; font: 17px system-ui, sans-serif }} "
        "body { margin: 0 } .lift-living { display: block !important; margin: 0;"
        " min-height: 0 } "
        'details { display: none }</style></head><body class="bd-article">'
        f"{place('mechanism=none&eps=1&lambda=0.5')}</body></html>"
    )


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the standalone picture page to ``_static``, next to its style sheet."""
    if error is None and app.builder.format == "html":
        (Path(app.outdir) / "_static" / "picture.html").write_text(
            page(), encoding="utf-8"
        )


class InPage(SphinxDirective):
    """A directive that draws something in the page; its content describes it."""

    has_content = True
    reads: ClassVar[tuple[Path, ...]] = ()

    def words(self, *classes: str) -> nodes.container:
        """Return the parsed content, and record the files that the page depends on."""
        for path in self.reads:
            self.env.note_dependency(str(path))
        found = nodes.container(classes=[*classes, WORDS_CLASS])
        self.state.nested_parse(self.content, self.content_offset, found)
        return found


class Picture(InPage):
    """``lift-picture``: the interactive picture.

    The argument is a state such as ``mechanism=srr&eps=1&lambda=0.5&bands=6``; the
    picture offers this mechanism and those that the lessons introduce before it. With
    ``story``, as on the first page, the picture is wide, without the plane, and has
    three choices.
    """

    required_arguments = 1
    reads = tuple(SCRIPT_FOLDER / name for name in SCRIPTS)
    option_spec: ClassVar[dict[str, Any]] = {"story": directives.flag}

    def run(self) -> list[nodes.Node]:
        words = self.words()
        state, story = self.arguments[0], "story" in self.options
        try:
            made = place(state, offers=introduced(state), story=story)
            return [words, nodes.raw("", made, format="html")]
        except ValueError as error:
            raise self.error(str(error)) from error


class Show(InPage):
    """``lift-show``, below a definition: a button that marks the parts of the page's
    picture named by the argument.
    """

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        unknown = set(self.arguments[0].split()) - PICTURE_PARTS
        if unknown:
            raise self.error(
                f"a picture has no part {min(unknown)!r}: it has"
                f" {', '.join(sorted(PICTURE_PARTS))}"
            )
        button = (
            f'<button type="button" class="lift-show" data-parts="{self.arguments[0]}"'
            " hidden>"
        )
        box = self.words("lift-shows")
        box.insert(
            0, nodes.raw("", f"{button}Show in the picture</button>", format="html")
        )
        return [box]


PROOF_SCRIPTS = ("proof.mjs",)


def proof_in_page() -> str:
    """Return the HTML for the proof of the hundred people, with its script."""
    people = hundred_people()
    stored = resource("data/proof-people.json").read_text(encoding="utf-8")
    names = json.dumps(
        {
            "secrets": list(map(str, people.secret)),
            "symbols": list(map(str, people.public)),
        }
    )
    return (
        f'<div class="lift-living lift-checker" data-problem="{html.escape(stored)}"'
        f' data-names="{html.escape(names)}"><noscript><p>With scripts, this proof can'
        " be checked here.</p></noscript></div><script"
        f' type="module">{script(PROOF_SCRIPTS)}</script>'
    )


class ProofInPage(InPage):
    """``lift-checker``: a proof that the browser checks, drawn by ``proof.mjs``.

    The check itself is ``liftlib/exact.py``, which ``liftbook/build/alive/prover.mjs``
    runs in Python once the reader asks for it.
    """

    reads = tuple(SCRIPT_FOLDER / name for name in PROOF_SCRIPTS)

    def run(self) -> list[nodes.Node]:
        return [self.words(), nodes.raw("", proof_in_page(), format="html")]


BETTING_SCRIPT = SCRIPT_FOLDER / "betting.mjs"


def game(eps: float, mechanism: str) -> dict[str, Any]:
    """Return the game's data: ``outputs``, joint ``p`` and ``allowed`` budget.

    ``eps`` is the total budget in nats, half for each direction; ``mechanism`` is a key
    of ``ll.mechanisms``.

    Examples
    --------
    >>> found = game(1.0, "watchdog")
    >>> found["outputs"], found["p"]
    (['middle', 'young or old'], [[0.05, 0.15], [0.35, 0.45]])
    """
    joint = ll.datasets.hundred_people()
    channel = ll.design(joint, ll.ALIP(eps / 2, eps / 2), mechanism)
    p = joint.p @ channel.kernel
    names = [
        " or ".join(str(joint.public[x]) for x in channel.kernel[:, y].nonzero()[0])
        for y in range(p.shape[1])
    ]
    return {"outputs": names, "p": p.round(12).tolist(), "allowed": eps / 2}


def game_in_page(data: dict[str, Any]) -> str:
    """Return the HTML of a game."""
    said = html.escape(json.dumps(data), quote=True)
    code = BETTING_SCRIPT.read_text(encoding="utf-8")
    return (
        f'<div class="lift-betting" data-game="{said}"></div><script'
        f' type="module">{code}</script>'
    )


class BettingGame(InPage):
    """``betting-game``: bets on the condition of twenty people.

    A bookmaker offers fair odds under the prior, so that a bet on the condition returns
    the lift on average. The argument is the budget eps of ALIP, split equally, and
    ``mechanism`` (by default, the watchdog) designs the release::

        ```{betting-game} 1
        :mechanism: watchdog

        The text before the game.
        ```
    """

    required_arguments = 1
    reads = (BETTING_SCRIPT,)
    option_spec: ClassVar[dict[str, Any]] = {"mechanism": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        data = game(float(self.arguments[0]), self.options.get("mechanism", "watchdog"))
        return [self.words(), nodes.raw("", game_in_page(data), format="html")]


DESIGNS_SCRIPT = "designs.mjs"
FIRST_SIZE = 1_000
"""The size of tables that is shown first, as in the figure."""
NAT, LEFT, BOTTOM, MAX_NATS = 330, 58, 376, 1.1
"""Pixels per nat, the origin, and the length of each axis in nats."""
MARKER_PATHS = ("M-4-4 4 4M-4 4 4-4", "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0Z")


def places(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the marks to draw for each table size.

    Each dict has ``rows``, the number of rows of each table; ``marks``, the coordinates
    (fall, rise) of each design's releases, in thousandths of a nat; and ``inside``, the
    number of releases of each design that satisfy the notion.
    """
    sizes = []
    for size, part in rows.groupby("rows"):
        worst = [
            part[part["design"] == design][["fall", "rise"]].to_numpy()
            for design in DESIGNS
        ]
        marks = [np.rint(1000 * each).astype(int).tolist() for each in worst]
        inside = [int((each.max(axis=1) <= NOTION.eps).sum()) for each in worst]
        sizes.append({"rows": size, "marks": marks, "inside": inside})
    return sizes


def axes() -> str:
    """Return the square of the notion and the axes, as SVG."""
    middle = 'text-anchor="middle"'
    right, top, side = LEFT + NAT * MAX_NATS, BOTTOM - NAT * MAX_NATS, NAT * NOTION.eps
    elements = [
        f'<path class="lift-square" d="M{LEFT} {BOTTOM}v{-side}h{side}v{side}"/>',
        f'<path class="lift-axis" d="M{LEFT} {top:g}V{BOTTOM}H{right:g}"/>',
        (
            f'<text x="{LEFT + 6}"'
            f' y="{BOTTOM - side + 16}">{html.escape(f"LIP({NOTION.eps})")}</text>'
        ),
        (
            f'<text x="{(LEFT + right) / 2:g}" y="{BOTTOM + 42}" {middle}>−log Ψ'
            " (nats): beliefs fall</text>"
        ),
        (
            f'<text transform="translate(14 {BOTTOM - NAT / 2}) rotate(-90)"'
            f" {middle}>log Λ: beliefs rise</text>"
        ),
    ]
    for tick in (0, 0.5, 1):
        elements.append(
            f'<text x="{LEFT + NAT * tick}" y="{BOTTOM + 20}" {middle}>{tick}</text>'
        )
        elements.append(
            f'<text x="{LEFT - 7}" y="{BOTTOM - NAT * tick + 5}"'
            f' text-anchor="end">{tick}</text>'
        )
    return "".join(elements)


def designs_in_page(figure: str) -> str:
    """Return the HTML of the slider and the picture, hidden until its script runs."""
    sizes = places(pd.read_csv(LONG["designs_in_plane"].path))
    groups = ""
    for at, shape in enumerate(MARKER_PATHS):
        marks = f'<path d="{shape}"/>' * len(sizes[0]["marks"][at])
        groups += f'<g class="lift-design-{at}">{marks}</g>'
    data = {
        "figure": figure,
        "sizes": sizes,
        "designs": [
            f"{name} ({mark})"
            for name, mark in zip(DESIGNS, ("crosses", "dots"), strict=True)
        ],
        "scale": [NAT, LEFT, BOTTOM],
    }
    box = (
        f"0 {BOTTOM - NAT * MAX_NATS - 4:g} {LEFT + NAT * MAX_NATS + 4:g}"
        f" {NAT * MAX_NATS + 54:g}"
    )
    first = [size["rows"] for size in sizes].index(FIRST_SIZE)
    slider = (
        f'type="range" aria-label="Rows of each table" min="0" max="{len(sizes) - 1}"'
        f' value="{first}"'
    )
    return (
        '<div class="lift-designs"'
        f' data-designs="{html.escape(json.dumps(data), quote=True)}"'
        " hidden><label>Rows of each table: <output></output> <input"
        f' {slider}></label><svg viewBox="{box}"'
        f' aria-hidden="true">{axes()}{groups}</svg><p role="status"></p></div><script'
        f' type="module">{script((DESIGNS_SCRIPT,))}</script>'
    )


class Designs(InPage):
    """``lift-designs``: a slider for the table size in the figure whose label is the
    argument.

    The figure is shown unchanged without scripts, in print and once the page is run;
    the marks are the stored rows of ``designs_in_plane``.
    """

    required_arguments = 1
    reads = (SCRIPT_FOLDER / DESIGNS_SCRIPT, LONG["designs_in_plane"].path)

    def run(self) -> list[nodes.Node]:
        return [
            nodes.raw("", designs_in_page(self.arguments[0]), format="html"),
            self.words(),
        ]


DIRECTIVES = {
    "lift-people": People,
    "lift-picture": Picture,
    "lift-show": Show,
    "lift-checker": ProofInPage,
    "betting-game": BettingGame,
    "lift-designs": Designs,
}


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
