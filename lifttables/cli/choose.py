"""``lift choose``: recommend a notion, budget and mechanism for a table."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import asdict
from typing import get_args

from liftlib.errors import InvalidParameter
from liftlib.registry import mechanisms
from lifttables import choice_page, choose
from lifttables.cli.options import (
    check_page,
    confidence_of,
    confidence_option,
    files_read,
    named_mechanisms,
    page_options,
    reading,
    table_options,
)
from lifttables.cli.shared import json_option, print_json
from lifttables.files import page_file, printable
from lifttables.recommendation.choosing import CURVE_BUDGETS, NOTIONS_AT, Answer
from lifttables.recommendation.question import Adversary, percent

EXAMPLES = """\
  lift choose patients.csv --secret diagnosis --public age_band
  lift choose patients.csv --secret diagnosis --public age_band --belief 10% --at-most 20%
  lift choose patients.csv --secret diagnosis --public age_band --accuracy 2
  lift choose patients.csv --secret diagnosis --public age_band --eps 0.5 --page choice.html
--belief 10% --at-most 20% means that no belief of 10 % may become more than 20 %. --accuracy bounds the 95 % error of
every estimated share, in percentage points. Without --eps or a question, the command offers three options.
The budget EPS refers to lip; alip and ldp get twice that budget, which lip at EPS implies.
Exit codes: 0 success; 2 error; 6 none of the releases tried answers the question."""

EXIT_UNANSWERED = 6  # exit code if nothing is recommended

LEGEND = (
    "retained: share of the column's information (NMI); {} to: the most that such a belief can become; rows x: how "
    "many times as many rows an estimate needs as from the original table"
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    table_options(parser)
    parser.add_argument("--belief", metavar="PERCENT", help="a belief before the release, such as 10%%")
    parser.add_argument("--at-most", metavar="PERCENT", help="the most that this belief may become, such as 20%%")
    parser.add_argument(
        "--adversary",
        choices=get_args(Adversary),
        default="shares",
        help="the belief of somebody who knows only the shares of the secret's values, or who may have any knowledge "
        "about it (default: %(default)s)",
    )
    parser.add_argument(
        "--accuracy", metavar="POINTS", help="the largest 95%% error of an estimated share, in percentage points"
    )
    parser.add_argument(
        "--eps", type=float, help="recommend a release for this budget, in nats, instead of answering a question"
    )
    parser.add_argument(
        "--budgets", type=float, nargs="+", default=list(CURVE_BUDGETS), metavar="EPS", help="budgets to try, in nats"
    )
    parser.add_argument(
        "--notions", nargs="+", choices=list(NOTIONS_AT), default=list(NOTIONS_AT), help="notions to try (default: all)"
    )
    parser.add_argument(
        "--mechanisms",
        nargs="+",
        metavar="NAME",
        help=f"mechanisms to try: {', '.join(mechanisms)}, or MODULE:FUNCTION (default: all that apply)",
    )
    confidence_option(parser)
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="time limit for each mechanism (default: %(default)s)"
    )
    page_options(parser, "write a report as an HTML page, readable only by you")
    parser.add_argument("--quiet", action="store_true", help="do not show progress")
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Compare, print the recommendations, and return the exit code."""
    named_mechanisms(options)  # before the table is read, which may take long
    belief, at_most = (_share(f"--{name}", getattr(options, name.replace("-", "_"))) for name in ("belief", "at-most"))
    accuracy = _share("--accuracy", options.accuracy, mark=False)
    check_page(options)
    how = reading(options, rare="pool")
    choice = choose(
        options.table,
        eps=options.eps,
        belief=belief,
        at_most=at_most,
        adversary=options.adversary,
        accuracy=accuracy,
        epsilons=options.budgets,
        notions=options.notions,
        mechanisms=options.mechanisms,
        confidence=confidence_of(options),
        seconds=options.seconds,
        told=None if options.quiet else _tell,
        **vars(how),
    )
    if not options.quiet:
        print(file=sys.stderr)
    if options.page is not None:
        page_file(options.page, choice_page(choice), files_read(options), force=options.force)
    code = 0 if any(answer.best for answer in choice.answers) else EXIT_UNANSWERED
    if options.json:
        print_json(asdict(choice) | asdict(choice.recommended))
        return code
    print(printable(f"{choice.public} against {choice.secret}: {choice.rows:,} rows, {choice.symbols} public symbols"))
    for answer in choice.answers:
        print()
        _print_answer(answer, f"{percent(choice.belief)} to", every=options.eps is not None)
    if any(answer.rows for answer in choice.answers):
        print(f"\n{LEGEND.format(percent(choice.belief))}")
    if options.page is not None:
        print(options.page)
    return code


def _share(name: str, text: str | None, *, mark: bool = True) -> float | None:
    """Return a share from a text in per cent or percentage points, or refuse it."""
    if text is None:
        return None
    number = text.strip().removesuffix("%").strip() if mark else text
    try:
        share = float(number) / 100
    except ValueError:
        share = math.nan
    if not 0 < share < 1 or (mark and "%" not in text):
        wanted = "a percentage between 0% and 100%, such as 10%" if mark else "percentage points, such as 2"
        raise InvalidParameter(f"{name} is {text!r}: give {wanted}")
    return share


def _print_answer(answer: Answer, growth: str, *, every: bool) -> None:
    """Print an answer with all results that meet it, or the best of each notion."""
    rows = answer.rows if every else {trial.notion.partition("(")[0]: trial for trial in reversed(answer.rows)}.values()
    if answer.requirement:
        print(printable(f"{answer.label + ': ' if answer.label else ''}{answer.requirement}"))
    if rows:
        print(f"  {'notion':38}  {'mechanism':24}  {'retained':>8}  {growth:>7}  {'rows x':>7}  {'seconds':>7}")
    for trial in rows:
        numbers = f"{100 * trial.nmi:7.1f}%  {100 * trial.belief:6.1f}%  {trial.rows_price:7.1f}  {trial.seconds:7.2f}"
        print(f"  {trial.notion:38}  {trial.mechanism:24}  {numbers}")
    if answer.best is None:
        print(printable(f"no answer: {answer.reason}."))
    else:
        print(printable(f"recommended: {answer.best.notion} by {answer.best.mechanism}"))
        for sentence in (f"Reason: {answer.reason}.", *answer.best.kept, *answer.words, *answer.not_covered[:1]):
            print(printable(f"  {sentence}"))
    if answer.command:
        print(f"to release it:\n  {printable(answer.command)}")


def _tell(line: str) -> None:
    end = "\r" if sys.stderr.isatty() else "\n"
    print(f"{line:70}"[:100], end=end, file=sys.stderr, flush=True)
