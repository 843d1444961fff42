"""A module's mutants: cosmic-ray's, less those that say the same as the module or as another, and looser tolerances."""

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import parso
from cosmic_ray.mutating import mutate_code  # type: ignore[import-untyped]
from cosmic_ray.operators.number_replacer import NumberReplacer  # type: ignore[import-untyped]
from cosmic_ray.plugins import get_operator  # type: ignore[import-untyped]

NO_EFFECT = ("final", "cache", "compiled")  # decorators that only a type checker sees, or a clock


class Looser(NumberReplacer):  # type: ignore[misc]
    """A tolerance ten thousand times as large: to add 1 to it, as cosmic-ray does, is easily noticed."""

    def mutation_positions(self, node: Any) -> Iterator[Any]:
        if node.type == "number" and "e-" in node.value:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:  # noqa: ARG002
        return parso.python.tree.Number(f" {float(node.value) * 1e4:g}", node.start_pos)


class Mutant(NamedTuple):
    """A module with one token changed, and the change as tests/mutants.toml writes it: ``line => what it becomes``."""

    at: int
    change: str
    source: str


def meaning(source: str) -> str:
    """Return what a module does: without annotations, which mypy reads, and without which arguments are by name."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.decorator_list = [d for d in node.decorator_list if ast.unparse(d) not in NO_EFFECT]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arguments):  # cosmic-ray takes their * for a product
            node.args = [*node.posonlyargs, *node.args, *node.kwonlyargs]
            node.defaults = [*node.defaults, *(one for one in node.kw_defaults if one is not None)]
            node.posonlyargs, node.kwonlyargs, node.kw_defaults = [], [], []
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def changed(before: list[str], after: list[str]) -> tuple[int, str]:
    """Return where two sources differ, and the change, with one space between words."""
    at = next(at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
    rest = next(at for at, (old, new) in enumerate(zip(before[::-1], after[::-1], strict=False)) if old != new)
    rest -= len(before) > len(after)  # a decorator is told by the line below it
    texts = (" ".join(" ".join(lines[at : len(lines) - rest]).split()) for lines in (before, after))
    return at + 1, " => ".join(re.sub(r"(?<=[(\[]) | (?=[)\]])", "", text) for text in texts)


def mutants(source: str, operators: list[str]) -> Iterator[Mutant]:
    """Return every mutant of a source that compiles and means something else than it and those before it."""
    seen = {meaning(source)}
    for make in (Looser, *(get_operator(f"core/{name}") for name in operators)):
        occurrence = 0
        while code := mutate_code(source, make(), occurrence):
            occurrence += 1
            try:
                means = meaning(code)
            except SyntaxError:
                continue
            if means not in seen:
                seen.add(means)
                yield Mutant(*changed(source.splitlines(), code.splitlines()), code)
