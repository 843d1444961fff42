"""The statements of a chapter on which its exercises depend.

Nobody has to mark them: they follow from the names. A statement is needed if it binds
or changes a name that an exercise's solution, check or text uses, or that another
needed statement uses.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Import, ast.ImportFrom)
DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Statement:
    """A top-level statement of a code cell, and the names that it uses.

    Attributes
    ----------
    cell : int
        The number of its cell.
    source : str
        Its lines, after the comments and empty lines above it.
    binds, changes : frozenset of str
        The names that it assigns, imports or defines, and those whose object it
        changes.
    reads, later : frozenset of str
        The names that it reads, and those that its functions read once they are called.
    replaces : bool
        Whether it binds its names in any case, so that earlier values are gone.
    imports, is_alias : bool
        Whether it imports names, and whether under a short name, such as ``np``.
    """

    cell: int
    source: str
    binds: frozenset[str]
    changes: frozenset[str]
    reads: frozenset[str]
    later: frozenset[str]
    replaces: bool
    imports: bool
    is_alias: bool


def statements(source: str, cell: int) -> list[Statement]:
    """Return the statements of a code cell.

    >>> [
    ...     (sorted(one.binds), sorted(one.reads))
    ...     for one in statements("b = a + 1\\nb[0] = c", 0)
    ... ]
    [(['b'], ['a']), ([], ['b', 'c'])]
    """
    lines = source.splitlines()
    found = []
    start = 0
    nodes = ast.parse(source).body
    for node in nodes:
        end = node.end_lineno or node.lineno
        text = "\n".join(lines[start:end])
        table = symtable.symtable(text, "cell", "exec")
        symbols = table.get_symbols()
        bound = [one for one in symbols if one.is_assigned() or one.is_imported()]
        own = _bound_first(node)
        is_shown = node is nodes[-1] and isinstance(node, ast.Expr)
        later = [name for child in table.get_children() for name in _globals(child)]
        statement = Statement(
            cell=cell,
            source=text,
            binds=frozenset(one.get_name() for one in bound),
            changes=frozenset() if is_shown else frozenset(_changed(node)),
            reads=frozenset(one.get_name() for one in symbols if one.is_referenced())
            - own,
            later=frozenset(later) - own,
            replaces=isinstance(node, SIMPLE + DEFINED),
            imports=isinstance(node, ast.Import | ast.ImportFrom),
            is_alias=isinstance(node, ast.Import)
            and any(one.asname for one in node.names),
        )
        found.append(statement)
        start = end
    return found


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    """Yield the global names that a function, class or comprehension reads."""
    yield from (
        one.get_name()
        for one in table.get_symbols()
        if one.is_referenced() and one.is_global()
    )
    for child in table.get_children():
        yield from _globals(child)


def _bound_first(node: ast.stmt) -> set[str]:
    """Return the names that a statement binds before it reads them, such as a loop's
    variable.

    >>> sorted(
    ...     _bound_first(ast.parse("for a in b:\\n    c = a + d\\n    d = c").body[0])
    ... )
    ['a', 'c']
    """
    bound: dict[str, tuple[int, int]] = {}
    for inner in _in_scope(node):
        ready: ast.AST
        if isinstance(inner, ast.For):
            targets, ready = [inner.target], inner.target
        elif isinstance(inner, ast.Assign):
            targets, ready = inner.targets, inner  # its right side comes first
        else:
            continue
        place = (ready.end_lineno or 0, ready.end_col_offset or 0)
        for target in targets:
            for name in ast.walk(target):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    bound[name.id] = min(place, bound.get(name.id, place))
    read: dict[str, tuple[int, int]] = {}
    for name in ast.walk(node):
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load):
            place = (name.lineno, name.col_offset)
            read[name.id] = min(place, read.get(name.id, place))
    return {
        name for name, place in bound.items() if name in read and place <= read[name]
    }


def _in_scope(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and those inside of it that are not in a function, class or
    comprehension.
    """
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(
            child,
            (
                *DEFINED,
                ast.Lambda,
                ast.ListComp,
                ast.SetComp,
                ast.DictComp,
                ast.GeneratorExp,
            ),
        ):
            yield from _in_scope(child)


def _changed(node: ast.AST) -> Iterator[str]:
    """Yield the names whose object a statement may change: ``a`` in ``a[0] = 1`` and
    ``a.append(1)``.
    """
    parts: list[ast.expr] = []
    match node:
        case ast.Assign(targets=targets):
            parts = list(targets)
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            parts = [target]
        case ast.Expr(value=ast.Call(func=ast.Attribute() as method)):
            parts = [method]
    for part in parts:
        for inner in part.elts if isinstance(part, ast.Tuple | ast.List) else [part]:
            base: ast.expr = inner
            while isinstance(base, ast.Attribute | ast.Subscript | ast.Call):
                base = base.func if isinstance(base, ast.Call) else base.value
            if base is not inner and isinstance(base, ast.Name):
                yield base.id
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt) and not isinstance(child, DEFINED):
            yield from _changed(child)


def needed(
    program: list[Statement],
    roots: Iterable[int],
    named: Iterable[tuple[str, int]] = (),
) -> set[int]:
    """Return the places of the statements on which those at ``roots`` depend.

    ``named`` are further names that have to be there, each with the place before which
    it is bound. What a function reads may be bound before its definition or before its
    call.

    >>> chapter = statements(
    ...     "a = 1\\nb = 2\\ndef f():\\n    return a + b\\na = 3\\nc = b\\nf()", 0
    ... )
    >>> sorted(needed(chapter, [5]))
    [0, 1, 2, 3]
    """
    modules = {name for one in program if one.imports for name in one.binds}
    todo = [(place, place) for place in roots]
    for name, before in named:
        todo += [(place, before) for place in _bound(program, name, before, modules)]
    found = {place for place, before in todo if place < before}
    seen: set[tuple[int, int]] = set()
    while todo:
        place, used = todo.pop()
        if (place, used) in seen:
            continue
        seen.add((place, used))
        statement = program[place]
        wanted = [(name, place) for name in statement.reads | statement.later]
        wanted += [(name, used) for name in statement.later]
        for name, before in wanted:
            for earlier in _bound(program, name, before, modules):
                found.add(earlier)
                todo.append((earlier, used))
    return found


def _bound(
    program: list[Statement], name: str, before: int, modules: set[str]
) -> Iterator[int]:
    """Yield the places before ``before`` that give a name its value, from the last one
    back.
    """
    for place in range(before - 1, -1, -1):
        statement = program[place]
        if name in statement.binds or (
            name in statement.changes and name not in modules
        ):
            yield place
        if name in statement.binds and statement.replaces:
            return
