"""Which statements of a chapter an exercise needs: a slice backwards through what defines its names.

Names alone are followed: a list that is changed under another name, or a file that is written and read again, is not
seen. That nothing was missed is seen by running the notebooks.
"""

from __future__ import annotations

import ast
import copy
import dis
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType

DRAWS = ("default_rng", "Random(")
"""What makes a generator: every use of one moves it on, and so counts as a change of it."""


@dataclass
class Statement:
    """A statement of a cell at its top level: its source, what it reads, sets anew, and changes."""

    cell: int
    source: str
    reads: set[str]
    sets: set[str]
    changes: set[str]
    later: set[str] = field(default_factory=set)
    """What a function that it defines reads when it is called."""


def statements(cell: int, source: str) -> list[Statement]:
    """Return a cell's statements, each with the comment lines above it.

    >>> [(one.source, sorted(one.reads), sorted(one.sets)) for one in statements(0, "# two\\na = 2\\nb = a + 1")]
    [('# two\\na = 2', [], ['a']), ('b = a + 1', ['a'], ['b'])]
    """
    lines, found, start = source.splitlines(), [], 0
    for node in ast.parse(source).body:
        end = node.end_lineno or node.lineno
        text = "\n".join(lines[start:end]).strip("\n")
        reads, sets, changes = names(node)
        later = reads if isinstance(node, ast.FunctionDef | ast.ClassDef) else set[str]()
        found.append(Statement(cell, text, reads - later, sets, changes, later))
        start = end
    return found


def names(node: ast.stmt) -> tuple[set[str], set[str], set[str]]:
    """Return the names that a statement reads, sets for sure, and changes or may set."""
    code = compiled(node)
    reads = read_first([node], set())
    stores = {str(one.argval) for one in dis.get_instructions(code) if one.opname == "STORE_NAME"}
    changes = set[str]()
    for one in ast.walk(node):
        if isinstance(one, ast.Subscript | ast.Attribute) and not isinstance(one.ctx, ast.Load):
            changes |= root(one)
        elif isinstance(one, ast.AugAssign):
            changes |= root(one.target)
        elif (
            isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and isinstance(one.value.func, ast.Attribute)
        ):
            changes |= root(one.value.func) if isinstance(one.value.func, ast.Attribute) else set()
    sure = (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    return (reads, stores, changes) if isinstance(node, sure) else (reads, set(), changes | stores)


def read_first(body: Iterable[ast.stmt], known: set[str]) -> set[str]:
    """Return the names that statements read before they set them; what they set for sure joins ``known``.

    >>> code = "for a in b:\\n    c = a\\n    if c:\\n        d = e\\n    print(d)"
    >>> sorted(read_first(ast.parse(code).body, set()))
    ['b', 'd', 'e', 'print']
    """
    found = set[str]()
    for one in body:
        if isinstance(one, ast.For):
            found |= set(loaded(compiled(ast.Expr(one.iter)))) - known
            inside = known | {each.id for each in ast.walk(one.target) if isinstance(each, ast.Name)}
            found |= read_first(one.body, inside) | read_first(one.orelse, set(known))
        elif isinstance(one, ast.If):
            found |= set(loaded(compiled(ast.Expr(one.test)))) - known
            branches = (set(known), set(known))
            for part, inside in zip((one.body, one.orelse), branches, strict=True):
                found |= read_first(part, inside)
            known |= branches[0] & branches[1]
        elif isinstance(one, ast.With):
            for item in one.items:
                found |= set(loaded(compiled(ast.Expr(item.context_expr)))) - known
                stored = (each for each in ast.walk(item) if isinstance(each, ast.Name))
                known |= {each.id for each in stored if isinstance(each.ctx, ast.Store)}
            found |= read_first(one.body, known)
        else:
            code = compiled(one)
            found |= set(loaded(code)) - known
            known |= {str(each.argval) for each in dis.get_instructions(code) if each.opname == "STORE_NAME"}
    return found


def compiled(node: ast.stmt) -> CodeType:
    """Return a statement's code, as if it stood alone, out of the loop that it may end."""
    whole = NoLeaps().visit(ast.Module([copy.deepcopy(node)], []))
    return compile(ast.fix_missing_locations(whole), "cell", "exec")


class NoLeaps(ast.NodeTransformer):
    """Takes out what has a meaning in a loop alone."""

    def visit_Break(self, _node: ast.Break) -> ast.Pass:
        return ast.Pass()

    def visit_Continue(self, _node: ast.Continue) -> ast.Pass:
        return ast.Pass()


def loaded(code: CodeType) -> Iterator[str]:
    """Yield the names that code takes from its module, and so does what it defines."""
    for one in dis.get_instructions(code):
        if one.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
            yield str(one.argval)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from loaded(inner)


def root(node: ast.expr) -> set[str]:
    """Return the name of which an expression is a part, ``rows`` for ``rows[0].p``, if there is one."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def needed(before: list[Statement], wanted: Iterable[str]) -> list[int]:
    """Return which statements give the wanted names their values, by number and in order.

    Parameters
    ----------
    before : list of Statement
        All that runs before, in order.
    wanted : iterable of str
        The names.

    Examples
    --------
    >>> code = "import numpy as np\\na = [1]\\nb = 2\\na.append(3)\\nprint(b)"
    >>> needed(statements(0, code), {"a"})
    [1, 3]
    """
    called: dict[str, set[str]] = {}
    drawn = {name for one in before for name in one.sets if any(word in one.source for word in DRAWS)}
    for one in before:
        if one.later:
            called |= dict.fromkeys(one.sets, one.later)
    open_, kept = with_called(set(wanted), called), list[int]()
    for number in reversed(range(len(before))):
        one = before[number]
        moved = one.reads & drawn if not one.later else set()
        if not open_ & (one.sets | one.changes | moved):
            continue
        kept.append(number)
        open_ = (open_ - one.sets) | with_called(one.reads | one.later, called)
    return kept[::-1]


def with_called(wanted: set[str], called: dict[str, set[str]]) -> set[str]:
    """Return the names, and those that the functions among them read when called."""
    found, fresh = set(wanted), set(wanted)
    while fresh:
        fresh = set().union(*(called.get(name, set()) for name in fresh)) - found
        found |= fresh
    return found
