"""Every command, option, name of code and file that a page mentions exists."""

import argparse
import re
import subprocess
import sys
from functools import cache
from importlib import import_module

import jupytext
import pytest
from asked import ROOT
from each import each

from companion.__main__ import parser as companion_parser
from liftbook.commands import LIFTBOOK
from lifttables.cli import LIFT, _parser, _subparsers

PAGES = [
    *sorted((ROOT / "chapters").rglob("*.md")),
    *map(ROOT.joinpath, ("intro.md", "README.md")),
]
CELLS = [path for path in PAGES if "{code-cell}" in path.read_text(encoding="utf-8")]
CODE = re.compile(r"```.*?```|(?<!`)`([^`\n]+)`(?!`)", re.DOTALL)
SHELL = re.compile(r"```(?:bash|console|sh)\n")
COMMAND = re.compile(r"(?:\$ |!|\.venv/bin/)*(lift|liftbook|companion) (.+)")
DOTTED = re.compile(
    r"(?<![\w./-])(?:ll|liftlib|lifttables|liftbook|companion|mixproof)"
    r"(?:\.[A-Za-z_]\w*)+(?![\w/-])"
)
TEST = re.compile(r"\btest_\w+")
FILE = re.compile(
    r"(?<![\w./-])(?:data|tests|docs|tools|benchmarks|course|_static)/[\w./-]*\w"
)
"""Files of the sources; a run's and a site's are elsewhere."""


@cache
def options_of(program, name):
    """Return the options of a program's command, or None if there is no
    such command.
    """
    if program == "companion":
        (commands,) = [
            one
            for one in companion_parser()._actions
            if isinstance(one, argparse._SubParsersAction)
        ]
        found = commands.choices.get(name)
    else:
        commands = {"lift": LIFT, "liftbook": LIFTBOOK}[program]
        found = None
        if name in commands.commands:
            parser, _ = _parser(commands, [name])
            found = {one.prog.split()[-1]: one for one in _subparsers(parser)}[name]
    return (
        None
        if found is None
        else frozenset(found._option_string_actions)
        | {"--version", "--help", "--debug"}
    )


@cache
def every_option():
    names = [("lift", name) for name in LIFT.commands] + [
        ("liftbook", name) for name in LIFTBOOK.commands
    ]
    every = frozenset[str]().union(*(options_of(*one) for one in names))
    return every | options_of("companion", "rerun") | options_of("companion", "sweep")


def exists(name):
    """Whether a dotted name is a module, or what one has, which may have the name of
    another module.
    """
    parts = [
        "liftlib" if name.startswith("ll.") else name.split(".")[0],
        *name.split(".")[1:],
    ]
    return any(has(parts[:at], parts[at:]) for at in range(len(parts), 0, -1))


def has(module, rest):
    """Whether there is a module that has a chain of attributes; a field without a
    default is an annotation.
    """
    try:
        found = import_module(".".join(module))
    except ImportError:
        return False
    for at, part in enumerate(rest):
        if not hasattr(found, part):
            return at == len(rest) - 1 and part in getattr(found, "__annotations__", {})
        found = getattr(found, part)
    return True


def words_of_line(text):
    """Return a page's code: its cells and blocks, and what stands between backticks."""
    return [found[0] for found in CODE.finditer(text)]


def commands_of(text):
    """Yield the program and the words of each command in blocks for a shell, and of
    each between backticks.
    """
    for code in words_of_line(text):
        lines = code.replace("\\\n", " ").strip("`").splitlines()
        shown = (
            lines
            if SHELL.match(code) or not code.startswith("```")
            else [one for one in lines if one[:1] == "!"]
        )
        for line in shown:
            if found := COMMAND.match(line.strip()):
                yield found[1], found[2].split("#")[0].split()


def unknown_commands(text):
    for program, (name, *options) in commands_of(text):
        known = options_of(program, name)
        if known is None and not name.startswith("-"):
            yield f"{program} {name}"
        given = [one.partition("=")[0] for one in options if re.match(r"--?[a-z]", one)]
        yield from (
            f"{program} {name} {one}" for one in given if one not in (known or ())
        )
    for option in re.findall(r"`(--[a-z][\w-]*)[^`\n]*`", text):
        if option not in every_option():
            yield option


TESTS = "".join(
    path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")
)
NAMES_OF_TESTS = set(re.findall(r"\btest_\w+", TESTS)) | {
    path.stem for path in (ROOT / "tests").rglob("test_*.py")
}


def unknown_names(text):
    for code in words_of_line(text):
        yield from (name for name in DOTTED.findall(code) if not exists(name))
        yield from (name for name in TEST.findall(code) if name not in NAMES_OF_TESTS)
        yield from (name for name in FILE.findall(code) if not (ROOT / name).exists())


@each(PAGES, lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_page_names_exists(path):
    text = path.read_text(encoding="utf-8")
    assert [*unknown_commands(text), *unknown_names(text)] == []


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("`lift audit table.csv --secret a`", []),
        ("`lift audits`", ["lift audits"]),
        (
            "```bash\nlift release t.csv --secret a \\\n  --no-such-option 3\n```",
            ["lift release --no-such-option"],
        ),
        ("`--no-such-option`", ["--no-such-option"]),
        ("`companion new my-paper` and `liftbook list`", []),
        ("a table that lift audits", []),
    ],
)
def test_unknown_commands_are_found(text, unknown):
    assert list(unknown_commands(text)) == unknown


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("`ll.LIP(1.0)` and {mod}`liftbook.figures`", []),
        ("```python\nll.no_such_name(1)\n```", ["ll.no_such_name"]),
        ("`liftlib.notions.LIP.is_satisfied`", []),
        ("`data/claims.csv` and `data/no_such.csv`", ["data/no_such.csv"]),
        (
            "`test_unknown_commands_are_found` and `tests/no_such.py`",
            ["tests/no_such.py"],
        ),
    ],
)
def test_unknown_names_are_found(text, unknown):
    assert list(unknown_names(text)) == unknown


@pytest.mark.parametrize("path", CELLS, ids=lambda path: path.stem)
def test_no_cell_uses_a_name_that_no_cell_defines(path):
    """As a build would find, in minutes."""
    cells = jupytext.read(path).cells
    code = "\n".join(one.source for one in cells if one.cell_type == "code")
    lines = [line for line in code.splitlines() if not line.startswith(("%", "!"))]
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--select=F821", "-"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
