"""Refuse chapters that assign again to a name of their parameters cell: they would not draw what was asked for."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jupytext

from liftbook.chapters import parse_parameters

ROOT = Path(__file__).resolve().parents[2]
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bound(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Give each name that code binds in its own scope, with the line.

    Names local to a function, a class or a comprehension do not count, but a walrus in a comprehension leaks, and so
    does a name that a function declares global.

    Examples
    --------
    >>> sorted(name for name, _ in bound(ast.parse("a = [b for b in c if (d := b)]")))
    ['a', 'd']
    """
    for node in ast.iter_child_nodes(tree):
        yield from _of(node)


def _of(node: ast.AST) -> Iterator[tuple[str, int]]:
    line = getattr(node, "lineno", 0)
    if isinstance(node, SCOPES):
        if not isinstance(node, ast.Lambda):
            yield node.name, line
        for outside in _evaluated_outside(node):
            yield from _of(outside)
        yield from _global_names(node)
        return
    if isinstance(node, COMPREHENSIONS):
        yield from ((n.target.id, n.lineno) for n in _own(node, ast.NamedExpr))
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        yield node.id, line
    elif isinstance(node, ast.Import | ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0], line
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name, line
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest, line
    yield from bound(node)


def _evaluated_outside(scope: ast.AST) -> list[ast.AST]:
    """Return what belongs to a function or class but is evaluated where it stands, and so may bind names there."""
    found: list[ast.AST] = list(getattr(scope, "decorator_list", []))
    if isinstance(scope, ast.ClassDef):
        return [*found, *scope.bases, *scope.keywords]
    given = getattr(scope, "args", None)
    return found if given is None else [*found, *given.defaults, *(one for one in given.kw_defaults if one)]


def _global_names(scope: ast.AST) -> Iterator[tuple[str, int]]:
    declared = {name for node in ast.walk(scope) if isinstance(node, ast.Global) for name in node.names}
    for node in ast.walk(scope):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del) and node.id in declared:
            yield node.id, node.lineno


def _own(node: ast.AST, kind: type[ast.NamedExpr]) -> Iterator[ast.NamedExpr]:
    """Give the nodes of a kind below one, functions apart."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, kind):
            yield child
        if not isinstance(child, SCOPES):
            yield from _own(child, kind)


def rebound(cells: list[Any], where: str) -> list[str]:
    """Return a message for each line of a chapter's cells that binds a parameter's name again."""
    code = [cell for cell in cells if cell.cell_type == "code"]
    given = [cell for cell in code if "parameters" in cell.metadata.get("tags", [])]
    names = {one.name for cell in given for one in parse_parameters(cell.source, where)}
    found = []
    for cell in code:
        if cell in given:
            continue
        # a line of IPython's own, such as %time, is not Python
        source = "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in cell.source.splitlines())
        lines = source.splitlines()
        for name, line in bound(ast.parse(source)):
            if name in names:
                found.append(f"{where}: {lines[line - 1].strip()!r} binds the parameter {name} again: use another name")
    return found


def main() -> int:
    """Print what every chapter binds again; return 1 if there is any."""
    found = [
        message
        for path in sorted((ROOT / "chapters").glob("*.md"))
        if "tags: [parameters]" in path.read_text(encoding="utf-8")
        for message in rebound(jupytext.read(path).cells, path.name)
    ]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
