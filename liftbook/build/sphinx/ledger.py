"""The directives about claims: ``lift-claims``, ``lift-claims-plot`` and
``lift-left-out``.

``{lift-claims}`` renders all claims, as rows to filter and sort that open in place;
this is the only page with them. ``{lift-claims} E23 figure 2`` renders links to the
rows about a figure, and ``{lift-claims} E23``, those about a paper by verdict; on such
a page, an address that names a row leads on to the ledger. ``{lift-claims-plot}`` plots
numbers. The controls come from ``companion.sphinx.ledger``.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import ClassVar

from docutils import nodes  # type: ignore[import-untyped]
from docutils.statemachine import StringList  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.sphinx.ledger import Point, controls, legend, plot
from companion.sphinx.search import found_alone
from liftbook.build.sphinx.sources import stands_on
from liftbook.chapters import chapters_folder
from liftbook.claims import (
    PAPERS,
    Entry,
    Sentence,
    drawn_at_random,
    entries,
    read_sentences,
    rule,
    sizes,
)
from liftbook.claims.judging import (
    KINDS,
    PROOFS,
    REPLICATIONS,
    Claim,
    range_of,
    shown,
    stored_values,
)
from liftbook.claims.published import write_published
from liftbook.claims.rule import VERDICTS, Case, Reading, Value

LEDGER = "ledger"
"""The page with the rows."""
SORT_ORDERS = {
    "order": "as in the papers",
    "verdict": "verdict",
    "chapter": "chapter",
    "off": "distance from print",
}
FORM_TEXTS = {
    "all": "claimed of all",
    "some": "claimed to happen",
    "curve": "a comparison in a figure",
    "number": "a published number",
    "degree": "a word of degree: a tenth",
    "time": "a time on the authors' machine",
}
BOOLEAN_WORDS = {"true": "holds", "false": "does not hold"}
VERDICT_CLASSES = {
    "agrees": "agrees",
    "differs": "differs",
    "depends": "depends",
    "cannot be told": "untold",
}
"""CSS class of each verdict."""
MOST_CASES = 6
"""Number of cases up to which each is shown; of more, only how many agree."""
COLUMNS = ("place", "what the paper says", "published, and here", "verdict")
RETIRED = {"e23-wd-kept": "e23-thm1", "c22-ex1-subsets": "c22-ex1-risks"}
"""Ids of former rows, which published links may name, and the rows that have their
values now.
"""
NAMES = (
    "Algorithm|Definition|Example|Figure|Fig|Lemma|Problem|Proposition|Remark|Table"
    "|Theorem"
)
NAMED = re.compile(rf"\b({NAMES})s?\.? (A?\d+[a-d]?(?:(?:, | and | to )A?\d+[a-d]?)*)")


class Claims(SphinxDirective):
    """Renders all claims as a table, or links to the claims about a figure or of a
    paper.
    """

    has_content = False
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, object]] = {}

    def run(self) -> list[nodes.Node]:
        asked = self.arguments[0] if self.arguments else ""
        paper, _, name = asked.partition(" ")
        mine = chosen(entries(stored_values()), paper, name)
        if not mine:
            raise self.error(f"no claim for {asked!r}: see data/claims.csv")
        if paper:
            return [raw(links(mine) if name else by_verdict(paper, mine))]
        first: dict[str, str] = {}
        content = [
            raw(controls(choices(mine), SORT_ORDERS) + legend(VERDICT_CLASSES)),
            raw(head()),
        ]
        for at, entry in enumerate(mine):
            claim = entry.claim
            place = f"{claim.paper}, {claim.place}"
            row = found_alone(
                title=f"{claim.paper} {claim.place}: {entry.verdict}",
                anchor=claim.id,
                listed=True,
            )
            row["keywords"] = " ".join(named_in(claim.place))
            says = nodes.inline(
                "",
                "",
                *self.parsed([f"{claim.says}."])[0].children,
                classes=["claim-says"],
            )
            row += [raw(opening(entry, at, place)), says, raw(closing(entry))]
            row += nodes.container("", *self.parsed(details(entry, first)))
            content += [row, raw("</details>")]
        return [*content, raw("</div>")]

    def parsed(self, lines: Sequence[str]) -> list[nodes.Node]:
        """Return Markdown lines as nodes, with maths and links."""
        box = nodes.container()
        self.state.nested_parse(
            StringList(list(lines), source="data/claims.csv"), self.content_offset, box
        )
        return list(box.children)


class ClaimsPlot(SphinxDirective):
    """Renders the plot of computed against published numbers."""

    def run(self) -> list[nodes.Node]:
        return [raw(legend(VERDICT_CLASSES) + plot(points(entries(stored_values()))))]


class LeftOut(SphinxDirective):
    """Renders the sentences that no claim covers, folded by reason."""

    def run(self) -> list[nodes.Node]:
        reasons: dict[str, list[Sentence]] = {}
        for sentence in read_sentences():
            if sentence.left_out:
                reasons.setdefault(sentence.left_out, []).append(sentence)
        content: list[nodes.Node] = []
        for reason, sentences in sorted(
            reasons.items(), key=lambda pair: -len(pair[1])
        ):
            items = "".join(
                f"<li>{omitted.paper}, {html.escape(omitted.place)}:"
                f" {html.escape(omitted.says)}</li>"
                for omitted in sentences
            )
            head = html.escape(f"{len(sentences)}: {reason}")
            folded = f"<summary>{head}</summary><ul>{items}</ul>"
            content.append(raw(f'<details class="left-out">{folded}</details>'))
        return content


def write_data(app: Sphinx, error: Exception | None) -> None:
    """Write ``claims.json``, its schema and badges next to the finished pages."""
    if (
        error is None
        and app.builder.name == "html"
        and "chapters/ledger" in app.env.found_docs
    ):
        write_published(Path(app.outdir))


def raw(text: str) -> nodes.raw:
    """Return a node of raw HTML."""
    return nodes.raw("", text, format="html")


def named_in(place: str) -> list[str]:
    """Return the figures, theorems and so on that a claim's place names, one by one.

    >>> (
    ...     named_in("Section 4.2, Figs 6a and 7a"),
    ...     named_in("Theorem 1, Proposition A2"),
    ...     named_in("Section 3"),
    ... )
    (['figure 6', 'figure 7'], ['theorem 1', 'proposition A2'], [])
    """
    return [
        f"{'figure' if name.startswith('Fig') else name.lower()} {number}"
        for name, numbers in NAMED.findall(place)
        for number in re.findall(r"A?\d+", numbers)
    ]


def chosen(all_entries: Sequence[Entry], paper: str, name: str = "") -> list[Entry]:
    """Return the claims of a paper (of all, if empty) about what is named, such as
    ``figure 2``.
    """
    mine = [entry for entry in all_entries if paper in ("", entry.claim.paper)]
    return (
        [entry for entry in mine if name in named_in(entry.claim.place)]
        if name
        else mine
    )


def links(mine: Sequence[Entry]) -> str:
    """Return a paragraph of links to the rows of claims, by verdict."""
    groups = []
    for verdict, kind in VERDICT_CLASSES.items():
        ids = [entry.claim.id for entry in mine if entry.verdict == verdict]
        if ids:
            rows = ", ".join(
                f'<a href="{LEDGER}.html#{name}">{name}</a>' for name in ids
            )
            groups.append(f'<span class="verdict {kind}">{verdict}</span> {rows}')
    return f'<p class="claims-of-figure">{"; ".join(groups)}</p>'


def by_verdict(paper: str, mine: Sequence[Entry]) -> str:
    """Return links to the ledger, filtered by each verdict on a paper's claims."""
    counts = {
        verdict: sum(entry.verdict == verdict for entry in mine)
        for verdict in VERDICT_CLASSES
    }
    groups = []
    for verdict, count in counts.items():
        if count:
            asked = f"paper={paper}&amp;verdict={verdict.replace(' ', '+')}"
            groups.append(
                f'<span class="verdict {VERDICT_CLASSES[verdict]}">{verdict}</span>'
                f' <a href="{LEDGER}.html?{asked}">{count} claims</a>'
            )
    return f'<p class="claims-of-figure claims-of-paper">{"; ".join(groups)}</p>'


def printed(entry: Entry) -> str:
    """Return the published value, or "stated" for words."""
    return "stated" if entry.claim.printed == "true" else entry.claim.printed


def found_in_words(values: Sequence[Value]) -> str:
    """Return replications as text, or "not run yet"."""
    text = shown(values) if values else "not run yet"
    return BOOLEAN_WORDS.get(text, text)


def head() -> str:
    """Return the opening HTML of a table, with its column heads."""
    names = "".join(f"<span>{name}</span>" for name in COLUMNS)
    return (
        '<div id="ledger-list" class="lift-claims"><div class="claim-columns"'
        f' aria-hidden="true">{names}</div>'
    )


def opening(entry: Entry, at: int, place: str) -> str:
    """Return the opening HTML of a row, with its data for filtering and sorting."""
    claim = entry.claim
    facts = {
        "paper": claim.paper,
        "kind": claim.kind,
        "verdict": entry.verdict,
        "chapter": claim.chapter,
        "order": str(at),
        "off": f"{distance(entry):.6g}",
        "names": " ".join([claim.paper, claim.place, *named_in(claim.place), claim.id]),
    }
    data = " ".join(
        f'data-{name}="{html.escape(value)}"' for name, value in facts.items()
    )
    former = "".join(
        f'<span id="{name}"></span>' for name, now in RETIRED.items() if now == claim.id
    )
    return (
        f'<details class="claim {VERDICT_CLASSES[entry.verdict]}" id="{claim.id}"'
        f" {data}><summary><span"
        f' class="claim-place">{former}{html.escape(place)}</span>'
    )


def closing(entry: Entry) -> str:
    """Return the rest of a row's summary: published and computed values, and the
    verdict.
    """
    published = "" if entry.claim.printed == "true" else f"{entry.claim.printed}; "
    here = (
        entry.share
        if entry.share and not entry.numbers
        else found_in_words(entry.found)
    )
    return (
        f'<span class="claim-found">{published}<b>{here}</b></span><span class="verdict'
        f' {VERDICT_CLASSES[entry.verdict]}">{entry.verdict}</span></summary>'
    )


def details(entry: Entry, first: dict[str, str]) -> list[str]:
    """Return what a row shows once it is open, as Markdown.

    ``first`` has the id of the first claim with each reason; a later one refers to it.
    """
    claim, lines = entry.claim, list[str]()
    for reading in entry.row.readings:
        lines += [*read_as(entry, reading), ""]
    if claim.reason:
        lines += [f"*Why:* {as_for(first, claim.reason, claim.id) or entry.reason}", ""]
    lines += [f"- *detail*, {case.label}: {value_of(case)}" for case in entry.details]
    lines += [f"- *ran on* {': '.join(filter(None, (claim.setting, at_sizes(entry))))}"]
    own = dict.fromkeys(sizes.written(case.call) for case in entry.cases)
    lines += [
        f"- *the joint distribution*, a row for each secret: {sizes.as_matrix(joint)}"
        for joint in own
        if joint is not None
    ]
    if claim.proof:
        lines.append(f"- *proof*: {proven_in(claim)}")
    page, _, label = claim.see.partition("#")
    shown_in = f'- *shown in* <a href="{page}.html#{label}">{titled(page)}</a>'
    if names := stands_on(
        dict.fromkeys(call.partition(":")[0] for call in entry.calls)
    ):
        links = (
            f"{{py:obj}}`{address.rpartition('.')[2]} <{address}>`" for address in names
        )
        shown_in += f", *computed with* {', '.join(links)}"
    return [*lines, f'{shown_in}; <a href="#{claim.id}">{claim.id}</a>']


@cache
def titled(page: str) -> str:
    """Return a chapter's title, from its source."""
    source = (chapters_folder() / f"{page}.md").read_text(encoding="utf-8")
    return next(re.finditer(r"^# (.+)$", source, re.MULTILINE))[1]


def proven_in(claim: Claim) -> str:
    """Return where a claim is proven, or that it is not, as Markdown."""
    places = []
    for place in claim.proofs:
        _, mark, label = place.partition("#")
        places.append(f"{{prf:ref}}`{label}`" if mark else PROOFS.get(place, place))
    return "; ".join(places)


def read_as(entry: Entry, reading: Reading) -> Iterator[str]:
    """Yield a reading as Markdown: the quotation, its form and verdict, and
    its cases.
    """
    row = entry.row
    outcome = (
        rule.of_reading(row, reading)[0]
        if len(row.readings) > 1
        else FORM_TEXTS[row.form]
    )
    yield f'"{quoted(reading.quote)}" ({reading.where}): {outcome}'
    yield ""
    if reading.setting:
        agree = f"**{rule.share(row, reading)}** agree" + (
            "" if reading.closed else "; others are possible"
        )
        yield f"- *not published*: {agree}"
    if len(reading.cases) > MOST_CASES:
        yield f"- each by a call such as {recomputed(reading.cases[0].call)}"
        return
    for case in reading.cases:
        several = f", {rule.of_case(row, case)}" if len(reading.cases) > 1 else ""
        yield f"- {case.label or 'as stated'}: {value_of(case)}{several}"


def quoted(text: str) -> str:
    """Return a quotation as Markdown, with nothing read as markup."""
    return re.sub(r"([\\`*_{}\[\]<>#|$~^])", r"\\\1", text)


def value_of(case: Case) -> str:
    """Return a case's value and the call that computes it, as Markdown."""
    return f"**{found_in_words(case.values)}**, {recomputed(case.call)}"


def as_for(first: dict[str, str], reason: str, name: str) -> str:
    """Return a reference to the first claim with the same reason; empty if it is this
    one.
    """
    before = first.setdefault(reason, name)
    return "" if before == name else f'as for <a href="#{before}">{before}</a>'


def recomputed(call: str) -> str:
    """Return the call that computes a value, as Markdown."""
    return f'`compute("{call}")`'


def at_sizes(entry: Entry) -> str:
    """Return at which sizes and budgets a claim ran, and how often, as Markdown."""
    found = sizes.of_claim(entry)
    words = [sizes.in_words(found)]
    if sizes.at_printed_size(entry.claim.paper, found):
        words.append("as many and as large as the paper's")
    random = [
        len(case.values)
        for case in (*entry.cases, *entry.details)
        if drawn_at_random(case.call)
    ]
    if random:
        fewest = min(random)
        words.append(
            f"{fewest} replications"
            if fewest >= REPLICATIONS
            else f"**{fewest} of {REPLICATIONS} replications**"
        )
    return "; ".join(filter(None, words))


def distance(entry: Entry) -> float:
    """Return |computed - published| in units of the published number's last digit."""
    if not entry.numbers or entry.claim.printed == "true":
        return 0.0
    return abs(range_of(entry.numbers)[2] - float(entry.claim.printed)) / (
        entry.claim.tolerance or 1.0
    )


def choices(mine: Sequence[Entry]) -> Mapping[str, Mapping[str, str]]:
    """Return the values that rows can be filtered by, with their labels."""
    chapters = sorted({entry.claim.chapter for entry in mine})
    values = {"paper": map(str.upper, PAPERS), "verdict": VERDICTS, "kind": KINDS}
    return {
        **{name: {value: value for value in known} for name, known in values.items()},
        "chapter": {page: titled(page) for page in chapters},
    }


def points(all_entries: Sequence[Entry]) -> Iterator[Point]:
    """Yield a point for each claim with a published number."""
    for entry in all_entries:
        if not entry.numbers or entry.claim.printed == "true":
            continue
        low, high, mean = range_of(entry.numbers)
        name = entry.claim.id
        title = (
            f"{name}: printed {entry.claim.printed}, here"
            f" {found_in_words(entry.found)}, {entry.verdict}"
        )
        yield Point(
            name,
            title,
            VERDICT_CLASSES[entry.verdict],
            float(entry.claim.printed),
            low,
            high,
            mean,
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    app.setup_extension("companion.sphinx.search")
    app.add_directive("lift-claims", Claims)
    app.add_directive("lift-claims-plot", ClaimsPlot)
    app.add_directive("lift-left-out", LeftOut)
    app.connect("build-finished", write_data)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
