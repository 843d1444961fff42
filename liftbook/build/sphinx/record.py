"""The directive ``lift-record``: the claims of one paper, with results.

``{lift-record} E23 figure 2`` renders a table of the claims about Figure 2; ``{lift-record} E23 differs`` (or another
verdict's CSS class), a card per claim with that verdict; ``{lift-record} E23 all``, a folded table of all claims.
"""

import re
from collections.abc import Sequence

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx

from companion.sphinx.ledger import cell
from liftbook.build.sphinx.ledger import VERDICT_CLASSES, Claims, card, found_in_words, opening, printed, raw
from liftbook.claims import Entry, entries
from liftbook.claims.values import stored_values

FIGURES = re.compile(r"\bFigs?\.? (\d+[a-d]?(?:(?:, | and | to )\d+[a-d]?)*)")


def figures_of(place: str) -> set[int]:
    """Return the numbers of the figures that a claim's place mentions.

    >>> sorted(figures_of("Section 4.2, Figs 6a and 7a"))
    [6, 7]
    >>> figures_of("Proposition 5, item 1")
    set()
    """
    return {int(number) for group in FIGURES.findall(place) for number in re.findall(r"\d+", group)}


def chosen(all_entries: Sequence[Entry], paper: str, asked: str) -> list[Entry]:
    """Return a paper's claims: about ``figure N``, with a verdict's class, or ``all``."""
    mine = [entry for entry in all_entries if entry.claim.paper == paper]
    if asked == "all":
        return mine
    if asked.startswith("figure "):
        return [entry for entry in mine if int(asked.split()[1]) in figures_of(entry.claim.place)]
    return [entry for entry in mine if VERDICT_CLASSES[entry.verdict] == asked]


def table_of(all_entries: Sequence[Entry]) -> list[str]:
    """Return the lines of a Markdown table of claims and their verdicts."""
    lines = ["| what the paper says | published | here | verdict |", "|---|---|---|---|"]
    for entry in all_entries:
        place = f"{entry.claim.paper}, {entry.claim.place}"
        says = f"{entry.claim.says} <br><small>{place}</small>"
        page, _, label = entry.claim.see.partition("#")
        link = f'<a href="ledger.html#{entry.claim.id}">{entry.verdict}</a>'
        here = f'<a href="{page}.html#{label}">{found_in_words(entry.found)}</a>'
        row = (cell(says), printed(entry), cell(here), link)
        lines.append(f"| {' | '.join(row)} |")
    return lines


class Record(Claims):
    """Renders claims of a paper as a table or as cards."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        paper, _, asked = self.arguments[0].partition(" ")
        mine = chosen(entries(stored_values()), paper, asked)
        if not mine:
            raise self.error(f"{paper} has no claim for {asked!r}: see data/claims.csv")
        if asked.startswith("figure "):
            return [self.parsed(table_of(mine), "lift-claims-of-figure")]
        if asked == "all":
            agree = sum(entry.verdict == "agrees" for entry in mine)
            head = f"All {len(mine)} claims in the paper's order; {agree} of them agree"
            opened = raw(f'<details class="lift-all-claims"><summary>{head}</summary>')
            return [opened, self.parsed(table_of(mine), "lift-claims"), raw("</details>")]
        content: list[nodes.Node] = []
        for at, entry in enumerate(mine):
            content += [raw(opening(entry, at)), self.parsed(card(entry, ""), "claim-text"), raw("</article>")]
        return content


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("lift-record", Record)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
