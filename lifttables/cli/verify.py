"""``lift verify``: check that a release and a card belong together."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from pathlib import Path

from lifttables import Outputs, load, read_card, verify
from lifttables.cli.shared import json_option, print_json
from lifttables.files import printable
from lifttables.releases.card import Limit
from lifttables.releases.verifying import EXIT_DIFFERS
from lifttables.sources.formats import writable

EXAMPLES = f"""\
  lift verify out.csv out.card.json
  lift verify out.csv out.card.json --design out.PRIVATE.design.json
The command compares the card with its digest, the text card (OUT.card.md) with what
the JSON card says, and the file's SHA-256, columns, number of rows and values with the
card. With the confidential design it also compares the card with the one that was
written with the design, and computes the release again from the noisy counts, and so
whether its probabilities keep the promise. The card of new rows must say what follows
from the design. Its date, version, number of rows and place in the ledger do not, nor
whether incomplete rows were dropped, what earlier counts add to what somebody who knows
all other rows may learn, and the rows themselves. This shows that they belong together
and were not changed, not who made them: without the design, somebody could replace all
of them, or choose another promise; with it, they could cut or change new rows and make
the SHA-256 and digest anew. Only a signature would show it. The digest that it prints
identifies a card; publish it where nobody else can write.
Exit codes: 0 they belong together; {EXIT_DIFFERS} they differ; 2 one of them cannot
be read."""

NOT_NEW = (
    "the card speaks of new rows, and by its name the file is the release that was"
    " written with the design"
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "release",
        type=Path,
        help=f"the released file, which ends in {writable()}",
    )
    parser.add_argument("card", type=Path, help="the JSON card of the release")
    parser.add_argument(
        "--design",
        type=Path,
        metavar="FILE",
        help="the confidential design of the release",
    )
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Compare, print the differences, and return the exit code."""
    card = read_card(options.card)
    beside = options.card.with_suffix(".md")
    text = (
        beside.read_text(encoding="utf-8", errors="replace")
        if beside.is_file()
        else None
    )
    design = None if options.design is None else load(options.design)
    verification = verify(options.release, card, text=text, design=design)
    if design is not None and Limit.NEW_ROWS in card.tells:
        own = Outputs.next_to(options.release).design
        if own.exists() and own.samefile(options.design):
            differences = (*verification.differences, NOT_NEW)
            verification = replace(verification, differences=differences)
    if options.json:
        print_json({"agrees": verification.agrees, **asdict(verification)})
        return 0 if verification.agrees else EXIT_DIFFERS
    for difference in verification.differences:
        print(printable(f"DIFFERS: {difference}"))
    if verification.agrees:
        print(
            printable(
                f"{options.release} and {options.card} belong together: {card.rows:,}"
                " rows"
            )
        )
        print(f"digest of the card: {card.as_dict()['digest']}")
    if not verification.file_checked:
        print(
            "note: the card is of a data frame and identifies no file, so no SHA-256"
            " was compared"
        )
    if not verification.text_checked:
        print(printable(f"note: there is no {beside.name}, so no text was compared"))
    return 0 if verification.agrees else EXIT_DIFFERS
