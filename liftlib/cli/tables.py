"""The commands on tables: sanitise, apply and audit."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Literal

from liftlib.cli.shared import Commands, command, json_option, print_json
from liftlib.errors import InvalidParameter
from liftlib.files import check_free, fresh_file
from liftlib.notions import ALIP, Notion
from liftlib.tables import (
    BUDGETS,
    MECHANISMS,
    Audit,
    Outputs,
    Reading,
    apply_file,
    audit_page,
    notion_from,
    open_table,
    sanitise_file,
)
from liftlib.tables.auditing import MEANING, as_dict
from liftlib.tables.designing import information
from liftlib.tables.sanitising import audited

BROKEN = 3
"""Exit code of an audit whose notion is broken."""

LINES = 20
"""Symbols that an audit prints; --json and --page have all."""


def add(commands: Commands) -> None:
    """Add the parsers."""
    release = command(
        commands,
        "sanitise",
        "release a column of a table so that it tells little about a secret one",
        "  lift sanitise patients.csv --secret diagnosis --public age_band --notion alip --eps-l 1 --eps-u 0.5 \\\n"
        "      -o out.csv\n"
        "  lift sanitise people.parquet --secret income --public age sex --bin age=30,45,60 --notion ldp --eps 1 \\\n"
        "      --mechanism subset-response --rare pool -o out.parquet\n"
        "Only the released column is written, and what --keep names; the secret never is.",
    )
    _table(release)
    _notion(release, required=True)
    release.add_argument(
        "--mechanism", choices=list(MECHANISMS), default="subset-merging", help="%(default)s by default"
    )
    release.add_argument(
        "--side-channels",
        action="store_true",
        help="bound what each subset of several public columns tells (SRLIP; with --eps alone)",
    )
    release.add_argument("-o", "--output", type=Path, required=True, help="the table to write: .csv, .tsv or .parquet")
    release.add_argument("--channel", type=Path, help="the channel to write (default: OUTPUT.channel.json)")
    release.add_argument("--page", type=Path, help="the audit page to write (default: OUTPUT.audit.html)")
    release.add_argument(
        "--formulas",
        choices=["error", "quote", "keep"],
        default="error",
        help="what becomes of a released text that a spreadsheet would run (default: %(default)s)",
    )
    _release(release)
    release.set_defaults(run=_sanitise)

    again = command(
        commands,
        "apply",
        "release new rows through a channel that sanitise wrote",
        "  lift apply out.channel.json new.csv -o new-out.csv\n"
        "  lift apply out.channel.json new.csv -o new-out.csv --unseen draw",
    )
    again.add_argument("channel", type=Path, help="the file that sanitise wrote")
    again.add_argument("table", type=Path, help="a .csv, .tsv or .parquet file")
    again.add_argument("-o", "--output", type=Path, required=True, help="the table to write")
    again.add_argument(
        "--unseen",
        choices=["error", "draw"],
        default="error",
        help="a symbol the channel was not made for: refuse it, or draw what says nothing (default: %(default)s)",
    )
    _release(again)
    again.set_defaults(run=_apply)

    check = command(
        commands,
        "audit",
        "say what a column of a table tells about a secret one",
        "  lift audit patients.csv --secret diagnosis --public age_band\n"
        "  lift audit out.csv --secret diagnosis --public age_band --notion lip --eps 0.5 --page audit.html\n"
        f"Exit code: 0, or {BROKEN} where a notion is given and broken.",
    )
    _table(check)
    _notion(check, required=False)
    check.add_argument("--page", type=Path, help="write an HTML page with plots")
    check.add_argument("--force", action="store_true", help="replace the page if it is there")
    check.add_argument("--level", type=float, default=0.95, help="of the bootstrap intervals (default: %(default)s)")
    check.add_argument("--seed", type=int, help="of the bootstrap")
    json_option(check)
    check.set_defaults(run=_audit)


def _table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", type=Path, help="a .csv, .tsv or .parquet file")
    parser.add_argument("--secret", required=True, metavar="COLUMN")
    parser.add_argument("--public", required=True, nargs="+", metavar="COLUMN", help="several are one symbol")
    parser.add_argument(
        "--bin",
        action="append",
        default=[],
        metavar="COLUMN=BINS",
        help="EDGE,EDGE,... or quantiles:N; may be repeated",
    )
    parser.add_argument("--missing", choices=["error", "symbol"], default="error", help="missing values (%(default)s)")
    parser.add_argument("--rare", choices=["error", "pool", "keep"], help="public symbols with few rows")
    parser.add_argument("--min-count", type=int, default=5, help="fewer rows than this are few (%(default)s)")
    parser.add_argument("--max-symbols", type=int, default=5000, help="refuse more public symbols (%(default)s)")
    parser.add_argument("--resamples", type=int, default=200, help="bootstrap tables (%(default)s)")


def _notion(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.add_argument("--notion", choices=list(BUDGETS), required=required, help="what private means")
    for option, meaning in (
        ("--eps", "budget, nats: lip, ldp, srlip; or alip with --lam"),
        ("--eps-l", "budget of the lower bound, nats: alip, l1, chi2, alpha"),
        ("--eps-u", "budget of the upper bound, nats"),
        ("--lam", "alip: the share of --eps that the lower bound gets"),
        ("--alpha", "order of the alpha-lift"),
    ):
        parser.add_argument(option, type=float, help=meaning)


def _release(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keep", nargs="+", default=[], metavar="COLUMN", help="publish these columns as they are")
    parser.add_argument("--seed", type=int, help="make the draw repeatable, and so foreseeable; not for a real release")
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    json_option(parser)


def _notion_of(options: argparse.Namespace, shape: tuple[int, ...]) -> Notion | None:
    if options.notion is None:
        for name in ("eps", "eps_l", "eps_u", "lam", "alpha"):
            if getattr(options, name) is not None:
                raise InvalidParameter(f"--{name.replace('_', '-')} is given without --notion: say which notion")
        return None
    budgets = {name: getattr(options, name) for name in ("eps", "eps_l", "eps_u", "alpha")}
    if options.lam is not None:
        if options.notion != "alip" or options.eps is None:
            raise InvalidParameter("--lam goes with --notion alip and --eps: it splits that budget")
        if options.eps_l is not None or options.eps_u is not None:
            raise InvalidParameter("--lam and --eps-l, --eps-u say the same: give the one or the other")
        return ALIP.split(options.eps, options.lam)
    return notion_from(options.notion, budgets, shape)


def _reading(options: argparse.Namespace, rare: Literal["error", "keep"]) -> Reading:
    if options.min_count < 0 or options.max_symbols < 1 or options.resamples < 0:
        raise InvalidParameter("--min-count and --resamples are 0 or more, --max-symbols 1 or more")
    return Reading(
        options.secret,
        tuple(options.public),
        tuple(options.bin),
        options.missing,
        options.rare or rare,
        options.min_count,
        options.max_symbols,
    )


def _sanitise(options: argparse.Namespace) -> int:
    if options.side_channels and options.notion != "srlip":
        raise InvalidParameter("--side-channels bounds them by SRLIP: give --notion srlip --eps")
    if options.notion == "srlip" and not options.side_channels:
        raise InvalidParameter("--notion srlip is about side channels: give --side-channels as well")
    if options.notion != "srlip":
        _notion_of(options, ())  # before the table is read, which may take long
    outputs = Outputs.beside(options.output, options.channel, options.page)
    made = sanitise_file(
        options.table,
        outputs,
        _reading(options, "error"),
        lambda public: _notion_of(options, public.shape),
        options.mechanism,
        keep=options.keep,
        side_channels=options.side_channels,
        formulas=options.formulas,
        resamples=options.resamples,
        seed=options.seed,
        force=options.force,
    )
    files = {name: str(path) for name, path in vars(outputs).items()}
    if options.json:
        print_json({"files": files, "design": information(made.design), "audit": as_dict(made.audit)})
        return 0
    found = made.audit
    print(f"{outputs.table}  ({found.rows:,} rows, {found.release.n_public} outputs)")
    print(f"{outputs.channel}\n{outputs.page}")
    print(f"{found.notion} is kept; {100 * found.overall['nmi']:.1f} % of the information is left (NMI)")
    for note in found.notes:
        print(f"note: {note}")
    return 0


def _apply(options: argparse.Namespace) -> int:
    made = apply_file(
        options.channel,
        options.table,
        options.output,
        keep=options.keep,
        unseen=options.unseen,
        seed=options.seed,
        force=options.force,
    )
    if options.json:
        print_json({"table": str(options.output), "design": information(made)})
    else:
        print(options.output)
    return 0


def _audit(options: argparse.Namespace) -> int:
    if options.page is not None:
        check_free(options.page, force=options.force)
    if options.notion != "srlip":
        _notion_of(options, ())
    counts = _reading(options, "keep").counts(open_table(options.table), product=options.notion == "srlip")
    notion = _notion_of(options, counts.public.shape)
    found = audited(counts, notion, options.resamples, options.level, options.seed)
    if options.page is not None:
        with fresh_file(options.page, force=options.force) as aside:
            aside.write_text(audit_page(found), encoding="utf-8")
    if options.json:
        print_json(as_dict(found))
    else:
        _print(found)
        if options.page is not None:
            print(options.page)
    return BROKEN if found.kept is False else 0


def _print(found: Audit) -> None:
    print(f"{found.public} against {found.secret}: {found.rows:,} rows, {found.release.n_secret} secrets, ", end="")
    print(f"{found.release.n_public} public symbols")
    if found.kept is not None:
        share = "" if found.kept_share is None else f" (in {100 * found.kept_share:.0f} % of bootstrap tables)"
        print(f"{found.notion} is {'kept' if found.kept else 'BROKEN'}{share}")
    print()
    for name, value in found.overall.items():
        ends = found.intervals.get(name)
        interval = "" if ends is None else f"  [{ends[0]:.4g}, {ends[1]:.4g}]"
        print(f"  {value:8.4f}  {MEANING[name]}{interval}")
    print()
    width = max(8, *(len(_short(one.symbol)) for one in found.symbols[:LINES]))
    print(f"  {'symbol':{width}}  {'rows':>11}  min-lift  max-lift")
    for one in found.symbols[:LINES]:
        rest = "; ".join(one.broken) or (f"rules out {', '.join(one.zero_cells)}" if one.zero_cells else "")
        numbers = f"{one.rows:11,.0f}  {one.min_lift:8.4f}  {one.max_lift:8.4f}"
        print(f"  {_short(one.symbol):{width}}  {numbers}  {rest}".rstrip())
    if len(found.symbols) > LINES:
        print(f"  and {len(found.symbols) - LINES} more")
    for note in found.notes:
        print(f"note: {note}")


def _short(text: str, most: int = 40) -> str:
    # what a terminal would obey is not printed
    text = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    return text if len(text) <= most else text[: most - 1] + "…"
