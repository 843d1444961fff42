"""The directive ``lift-ledger``: all claims as cards to filter and sort.

The controls and the plot come from ``companion.sphinx.ledger``; the cards are generated from ``data/``, like the tables
of ``liftbook.build.sphinx.record``.
"""

import html
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from docutils import nodes  # type: ignore[import-untyped]
from docutils.statemachine import StringList  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.sphinx.ledger import Point, controls, plot, script
from liftbook.build.sphinx.sources import stands_on
from liftbook.claims import (
    FUNCTIONS,
    PAPERS,
    Entry,
    Sentence,
    code_of,
    drawn_at_random,
    entries,
    read_sentences,
)
from liftbook.claims.judging import KINDS, REPLICATIONS, VERDICTS, Value, range_of, shown
from liftbook.claims.published import write_published
from liftbook.claims.values import stored_values

SORT_ORDERS = {"order": "as in the papers", "verdict": "verdict", "chapter": "chapter", "off": "distance from print"}
SCALE_TEXTS = {
    "paper": "the paper's setting",
    "smaller": "smaller than the paper's",
    "ours": "our setting",
    "unprinted": "our setting, as the text prints none",
}
BOOLEAN_WORDS = {"true": "holds", "false": "does not hold"}
VERDICT_CLASSES = {
    "agrees": "agrees",
    "differs": "differs",
    "depends on the reading": "depends",
    "cannot be told from the text": "untold",
}
"""CSS class of each verdict."""


class Claims(SphinxDirective):
    """A directive that parses Markdown about claims."""

    has_content = False
    option_spec: ClassVar[dict[str, object]] = {}

    def parsed(self, lines: Sequence[str], kind: str) -> nodes.container:
        """Return Markdown lines as nodes, with maths and links."""
        box = nodes.container(classes=[kind])
        self.state.nested_parse(StringList(list(lines), source="data/claims.csv"), self.content_offset, box)
        return box


class Ledger(Claims):
    """Renders all claims as cards."""

    def run(self) -> list[nodes.Node]:
        all_entries = entries(stored_values())
        reason_counts = Counter(entry.claim.reason for entry in all_entries if entry.claim.reason)
        first = {entry.claim.reason: entry.claim.id for entry in reversed(all_entries)}
        content: list[nodes.Node] = [
            raw(controls(choices(all_entries), SORT_ORDERS) + plot(points(all_entries)) + '<div id="ledger-list">')
        ]
        for at, entry in enumerate(all_entries):
            of = first.get(entry.claim.reason, "")
            elsewhere = of if reason_counts[entry.claim.reason] > 1 and of != entry.claim.id else ""
            content += [raw(opening(entry, at)), self.parsed(card(entry, elsewhere), "claim-text"), raw(closing(entry))]
        return [*content, raw(f"</div>{script()}")]


class LeftOut(SphinxDirective):
    """Renders the sentences that no claim covers, folded by reason."""

    def run(self) -> list[nodes.Node]:
        reasons: dict[str, list[Sentence]] = {}
        for sentence in read_sentences():
            if sentence.left_out:
                reasons.setdefault(sentence.left_out, []).append(sentence)
        content: list[nodes.Node] = []
        for reason, sentences in sorted(reasons.items(), key=lambda pair: -len(pair[1])):
            items = "".join(
                f"<li>{omitted.paper}, {html.escape(omitted.place)}: {html.escape(omitted.says)}</li>"
                for omitted in sentences
            )
            head = html.escape(f"{len(sentences)}: {reason}")
            content.append(raw(f'<details class="left-out"><summary>{head}</summary><ul>{items}</ul></details>'))
        return content


def write_data(app: Sphinx, error: Exception | None) -> None:
    """Write ``claims.json``, its schema and badges next to the finished pages."""
    if error is None and app.builder.name == "html" and "chapters/ledger" in app.env.found_docs:
        write_published(Path(app.outdir))


def raw(text: str) -> nodes.raw:
    """Return a node of raw HTML."""
    return nodes.raw("", text, format="html")


def printed(entry: Entry) -> str:
    """Return the published value, or "stated" for words."""
    return "stated" if entry.claim.printed == "true" else entry.claim.printed


def found_in_words(values: Sequence[Value]) -> str:
    """Return replications as text, or "not run yet"."""
    text = shown(values) if values else "not run yet"
    return BOOLEAN_WORDS.get(text, text)


def opening(entry: Entry, at: int) -> str:
    """Return the opening HTML of a card, with its data for filtering and sorting."""
    claim = entry.claim
    facts = {
        "paper": claim.paper,
        "kind": claim.kind,
        "verdict": entry.verdict,
        "chapter": claim.chapter,
        "order": str(at),
        "off": f"{distance(entry):.6g}",
    }
    data = " ".join(f'data-{name}="{html.escape(value)}"' for name, value in facts.items())
    badge = f'<span class="verdict {VERDICT_CLASSES[entry.verdict]}">{entry.verdict}</span>'
    head = f'<a class="claim-id" href="#{claim.id}">{claim.id}</a> {claim.paper}, {html.escape(claim.place)}'
    opening = f'<article class="claim {VERDICT_CLASSES[entry.verdict]}" id="{claim.id}" {data}>'
    return f"{opening}<header>{head} {badge}</header>"


def closing(entry: Entry) -> str:
    """Return the closing HTML of a card, with the folded source code."""
    names = dict.fromkeys(call.partition(":")[0] for call in entry.calls)
    code = "\n\n".join(map(code_of, names))
    where = ", ".join(dict.fromkeys(FUNCTIONS[name].__module__ for name in names))
    return (
        f"<details><summary>How it is computed</summary><p><code>{where}</code></p>"
        f"<pre>{html.escape(code)}</pre></details></article>"
    )


def card(entry: Entry, elsewhere: str) -> list[str]:
    """Return a card's text as Markdown.

    ``elsewhere`` is the id of the claim that states the same reason, or empty.
    """
    claim = entry.claim
    lines = [claim.says + ".", ""]
    tested = f" ({claim.reading})" if claim.reading else ""
    lines += [f"- *Printed:* {printed(entry)}; *here*{tested}: **{found_in_words(entry.found)}**"]
    for (text, _, values), outcome in zip(entry.readings[1:], entry.outcomes[1:], strict=True):
        lines += [f"- *Another reading*, {text}: **{found_in_words(values)}**, {outcome}"]
    lines += [f"- {text}: **{found_in_words(values)}**" for text, _, values in entry.details]
    lines += [f"- *Tried on* {claim.setting}; {SCALE_TEXTS[claim.scale]}; {claim.trials}{so_far(entry)}"]
    if claim.reason:
        why = f'as for <a href="#{elsewhere}">{elsewhere}</a>' if elsewhere else entry.reason
        lines += [f"- *Why:* {why}"]
    page, _, label = claim.see.partition("#")
    lines += [f'- *In the book:* <a href="{page}.html#{label}">{page}</a>']
    if names := stands_on(dict.fromkeys(call.partition(":")[0] for call in entry.calls)):
        links = (f"{{py:obj}}`{address.rpartition('.')[2]} <{address}>`" for address in names)
        lines += [f"- *By* {', '.join(links)}"]
    return lines


def so_far(entry: Entry) -> str:
    """Return a note on the number of stored replications, if fewer than planned."""
    random = [values for _, call, values in (*entry.readings, *entry.details) if drawn_at_random(call)]
    fewest = min((len(values) for values in random), default=REPLICATIONS)
    return "" if fewest >= REPLICATIONS else f" (**{fewest} of {REPLICATIONS} replications are stored so far**)"


def distance(entry: Entry) -> float:
    """Return |computed - published| in units of the published number's last digit."""
    if not entry.numbers or entry.claim.printed == "true":
        return 0.0
    return abs(range_of(entry.numbers)[2] - float(entry.claim.printed)) / (entry.claim.tolerance or 1.0)


def choices(all_entries: Sequence[Entry]) -> dict[str, Sequence[str]]:
    """Return the values that cards can be filtered by."""
    chapters = sorted({entry.claim.chapter for entry in all_entries})
    return {"paper": tuple(map(str.upper, PAPERS)), "kind": KINDS, "verdict": VERDICTS, "chapter": chapters}


def points(all_entries: Sequence[Entry]) -> Iterator[Point]:
    """Yield a point for each claim with a published number."""
    for entry in all_entries:
        if not entry.numbers or entry.claim.printed == "true":
            continue
        low, high, mean = range_of(entry.numbers)
        name = entry.claim.id
        title = f"{name}: printed {entry.claim.printed}, here {found_in_words(entry.found)}, {entry.verdict}"
        yield Point(name, title, VERDICT_CLASSES[entry.verdict], float(entry.claim.printed), low, high, mean)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("lift-ledger", Ledger)
    app.add_directive("lift-left-out", LeftOut)
    app.connect("build-finished", write_data)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
