"""The reference page, generated from the exports of the packages.

In a page's source, ``lift-reference`` is replaced by the exports of a package, with a heading per folder, or by a
module's definitions: signature, first paragraph and link to the source, where the rest of the docstring is.
``lift-mechanisms`` and ``lift-commands`` are replaced by tables of the registry and of the command line.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.application import Sphinx

from liftbook.commands import LIFTBOOK
from liftlib.family import Family
from liftlib.registry import mechanisms
from lifttables.cli import LIFT


def exported(package: str) -> dict[str, str]:
    """Return the qualified name of each export of a package or module.

    Examples
    --------
    >>> exported("liftlib")["Joint"]
    'liftlib.joint.Joint'
    >>> exported("liftbook.rows.tidy")["frame"]
    'liftbook.rows.tidy.frame'
    """
    module = import_module(package)
    if not hasattr(module, "__all__"):
        return {name: f"{package}.{name}" for name in _defined(module)}
    source = Path(str(module.__file__))
    stub = source.with_suffix(".pyi")
    came_from = _imports(ast.parse((stub if stub.exists() else source).read_text(encoding="utf-8")), package)
    return {name: _home(came_from.get(name, f"{package}.{name}")) for name in module.__all__}


def _home(address: str) -> str:
    """Return the qualified name under which a class or function is defined."""
    value = found_at(address)
    if not (inspect.isclass(value) or inspect.isfunction(value)) or isinstance(value, Family):
        return address
    home = f"{value.__module__}.{value.__qualname__}"
    return home if found_at(home) is value else address


def _imports(tree: ast.Module, package: str) -> dict[str, str]:
    """Return the qualified origin of each name that a module imports by ``from``."""
    origins: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            home = f"{package}.{node.module}" if node.level and node.module else node.module or package
            origins |= {alias.asname or alias.name: f"{home}.{alias.name}" for alias in node.names}
    return origins


def _defined(module: ModuleType) -> list[str]:
    """Return the public functions and classes of a module, in order."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    return [n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef) and not n.name.startswith("_")]


def found_at(address: str) -> Any:
    """Return the module or attribute with a qualified name."""
    home, _, name = address.rpartition(".")
    value = getattr(import_module(home), name, None)
    return import_module(address) if value is None else value


def addresses(package: str) -> list[str]:
    """Return the qualified names that a package's part of the page documents."""
    members: list[str] = []
    for address in exported(package).values():
        value = found_at(address)
        members += exported(address).values() if isinstance(value, ModuleType) else [address]
    if not package.startswith("lifttables"):  # which has a page of its own
        members = [address for address in members if not address.startswith("lifttables.")]
    return members


def folder_of(address: str) -> str:
    """Return the subpackage of a qualified name, or its module if there is none.

    >>> folder_of("liftlib.response.optimal.optimal_response"), folder_of("liftlib.joint.Joint")
    ('liftlib.response', 'liftlib.joint')
    """
    module = import_module(address.rpartition(".")[0])
    if hasattr(module, "__path__") or module.__name__.count(".") == 1:
        return module.__name__
    return module.__name__.rpartition(".")[0]


def documented(address: str) -> list[str]:
    """Return the autodoc directive for a qualified name, as lines."""
    value = found_at(address)
    if inspect.isclass(value):
        if issubclass(value, BaseException):
            return [f".. autoexception:: {address}", ""]
        lines = [f".. autoclass:: {address}", "   :members:"]
        # they stand in the class's own text, under Attributes or Parameters
        if fields := [*getattr(value, "_fields", ())] or [
            f.name for f in (dataclasses.fields(value) if dataclasses.is_dataclass(value) else ())
        ]:
            lines.append(f"   :exclude-members: {', '.join(fields)}")
        return [*lines, ""]
    if inspect.isroutine(value) or isinstance(value, Family):
        return [f".. autofunction:: {address}", ""]
    return [f".. autodata:: {address}", "   :no-value:", ""]


def reference(package: str, seen: set[str]) -> Iterator[str]:
    """Yield the Markdown lines of a package, except what is already documented."""
    folders: dict[str, list[str]] = {}
    is_package = hasattr(import_module(package), "__path__")
    if package not in seen and is_package:
        folders[package] = []
    for address in addresses(package):
        if address not in seen:
            folder = folder_of(address) if is_package else package
            if folder in seen:  # it has its heading, where another package exports some of it
                folder = address.rpartition(".")[0]
            folders.setdefault(folder, []).append(address)
            seen.add(address)
    for folder in sorted(folders, key=lambda one: (one != package, one)):
        if (folder != package or not is_package) and f"### {folder}" not in seen:
            seen.add(f"### {folder}")
            yield from (f"### `{folder}`", "")
        yield "```{eval-rst}"
        if folder not in seen:
            yield from (f".. automodule:: {folder}", "   :no-members:", "")
            seen.add(folder)
        for address in folders[folder]:
            yield from documented(address)
        yield from ("```", "")


def mechanism_table() -> Iterator[str]:
    """Yield the Markdown table of the registry."""
    yield "| name | in the papers | serves | symbols | time | source |"
    yield "|---|---|---|---|---|---|"
    for mechanism in mechanisms.values():
        home, _, name = mechanism.where.partition(":")
        most = "" if mechanism.most_symbols is None else f"up to {mechanism.most_symbols}"
        linked = f"{{py:func}}`{mechanism.name} <{home}.{name}>`"
        papers = ", ".join(f"{paper} {alias}" for paper, alias in mechanism.papers)
        cells = (linked, papers, mechanism.words, most, mechanism.cost, mechanism.source)
        yield " | ".join(("", *(cell.replace("|", r"\|") for cell in cells), "")).strip()


def commands() -> Iterator[str]:
    """Yield the Markdown table of the command line.

    Examples
    --------
    >>> list(commands())[2]
    '| `lift audit` | show what a column of a table reveals about a secret column | `liftlib[tables]` |'
    """
    yield "| command | what | installed by |"
    yield "|---|---|---|"
    for program in (LIFT, LIFTBOOK):
        for name, command in program.commands.items():
            yield f"| `{program.name} {name}` | {command.summary} | `liftlib[{command.extra}]` |"


REFERENCE_DIRECTIVE = re.compile(r"^```\{lift-reference\} (\S+)\n```$", re.MULTILINE)
TABLES = {"```{lift-mechanisms}\n```": mechanism_table, "```{lift-commands}\n```": commands}


def write(_app: Sphinx, _docname: str, source: list[str]) -> None:
    """Replace the directives in a page's source by the generated documentation."""
    seen: set[str] = set()
    text = REFERENCE_DIRECTIVE.sub(lambda place: "\n".join(reference(place[1], seen)), source[0])
    for place, table in TABLES.items():
        if place in text:
            text = text.replace(place, "\n".join(table()))
    source[0] = text


def shorten(_app: Any, what: str, _name: str, _found: Any, _options: Any, lines: list[str]) -> None:
    """Keep the first paragraph of each docstring, and no text of modules."""
    lines[:] = [] if what == "module" else [*"\n".join(lines).strip().partition("\n\n")[0].splitlines(), ""]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the reading of pages."""
    app.connect("autodoc-process-docstring", shorten, priority=100)  # before napoleon
    app.connect("source-read", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
