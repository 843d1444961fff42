"""Parameters in YAML, and grids of them in YAML or on the command line."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.parameters import constant
from companion.runs.errors import RunError

Check = Callable[[Mapping[str, Any]], dict[str, Any]]
# YAML 1.1, which PyYAML reads, takes 1e-1 for a text
NUMBER = re.compile(
    r"[-+]?(?:\.\d+|\d[\d_]*(?:\.\d*)?)(?:[eE][-+]?\d+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)


def parse_yaml(text: str, where: str) -> Any:
    """Return the content of a YAML text; ``where`` names it in errors.

    Raises
    ------
    RunError
        If the text is not YAML, or a mapping has a key twice, of which the first would
        be lost.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            names = [self.construct_object(name, deep=True) for name, _ in node.value]
            for at, name in enumerate(names):
                if name in names[:at]:
                    raise yaml.constructor.ConstructorError(
                        None,
                        None,
                        f"{name!r} is given twice",
                        node.value[at][0].start_mark,
                    )
            return super().construct_mapping(node, deep)

    floats = "tag:yaml.org,2002:float"
    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != floats]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    Loader.add_implicit_resolver(
        floats, re.compile(f"^(?:{NUMBER.pattern})$"), list("-+0123456789.")
    )
    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" in line {mark.line + 1}" if mark is not None else ""
        raise RunError(
            f"{where} is not YAML{line}: {getattr(error, 'problem', None) or error}"
        ) from error


def read_yaml(path: Path) -> Any:
    """Return the content of a YAML file."""
    try:
        return parse_yaml(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RunError(f"{path} is not YAML: {error}") from error


def read_values(path: Path) -> dict[str, Any]:
    """Return the parameters in a YAML file, a mapping from names to values."""
    return _mapping(read_yaml(path), str(path))


def parse_values(text: str) -> dict[str, Any]:
    """Return the parameters in a YAML text, such as ``{n_trials: 50}``."""
    return _mapping(parse_yaml(text, repr(text)), repr(text))


def _mapping(content: Any, where: str) -> dict[str, Any]:
    if not isinstance(content, dict) or not all(
        isinstance(name, str) for name in content
    ):
        raise RunError(
            f"{where} is not a mapping from parameters to values: write lines such as"
            " `n_trials: 50`"
        )
    return content


def read_grid(path: Path, check: Check) -> list[dict[str, Any]]:
    """Return the parameter sets of a YAML file, checked.

    The file has ``grid:``, a mapping from parameters to lists of values (all
    combinations are run), or ``runs:``, a list of mappings; ``fixed:`` applies to all
    runs.

    Raises
    ------
    RunError
        If the file has another structure, or a name, type or value is invalid.
    """
    content = read_yaml(path)
    known = {"grid", "runs", "fixed"}
    if (
        not isinstance(content, dict)
        or not set(content) <= known
        or ("grid" in content) == ("runs" in content)
    ):
        raise RunError(
            f"{path} must have `grid:` or `runs:`, and may have `fixed:`; it has"
            f" {_shape(content)}"
        )
    fixed = content.get("fixed") or {}
    if not isinstance(fixed, dict):
        raise RunError(f"{path}: `fixed:` is not a mapping from parameters to values")
    if "runs" in content:
        sets = content["runs"]
        if (
            not isinstance(sets, list)
            or not sets
            or not all(isinstance(run, dict) for run in sets)
        ):
            raise RunError(
                f"{path}: `runs:` is not a list of mappings from parameters to values"
            )
    else:
        grid = content["grid"]
        if (
            not isinstance(grid, dict)
            or not grid
            or not all(isinstance(v, list) and v for v in grid.values())
        ):
            raise RunError(
                f"{path}: `grid:` is not a mapping from parameters to lists of values"
            )
        sets = combinations(grid)
    return checked([{**fixed, **run} for run in sets], check, str(path))


def parse_grid(
    words: Iterable[str], fixed: Mapping[str, Any], check: Check
) -> list[dict[str, Any]]:
    """Return the parameter sets of words such as ``n_trials=50,100`` and
    ``epsilons=[1],[2]``, all combinations.

    Raises
    ------
    RunError
        If a word has another form, or a name, type or value is invalid.
    """
    grid: dict[str, list[Any]] = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not equals or not name.isidentifier() or not values:
            raise RunError(
                f"{word!r} is no part of a grid: write NAME=VALUE,VALUE such as"
                " seed=0,1,2"
            )
        if name in grid:
            raise RunError(f"the grid has {name!r} twice: give all its values at once")
        grid[name] = _listed(values)
    return checked([{**fixed, **run} for run in combinations(grid)], check, "the grid")


def _listed(text: str) -> list[Any]:
    """Return values between commas, as literals if all are.

    >>> _listed("1,2"), _listed("[1],[2, 3]"), _listed("low,high")
    ([1, 2], [[1], [2, 3]], ['low', 'high'])
    """
    try:
        return list(constant(f"[{text}]"))
    except ValueError:
        return text.split(",")


def combinations(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return all combinations of the parameters' values."""
    return [
        dict(zip(grid, values, strict=True))
        for values in itertools.product(*grid.values())
    ]


def checked(
    sets: Iterable[Mapping[str, Any]], check: Check, where: str
) -> list[dict[str, Any]]:
    """Return checked parameter sets, none of which is another's twin."""
    runs = [check(run) for run in sets]
    for at, run in enumerate(runs):
        if run in runs[:at]:
            raise RunError(
                f"{where}: run {at + 1} repeats run {runs.index(run) + 1}: leave"
                " one out"
            )
    return runs


def _shape(content: Any) -> str:
    return (
        ", ".join(map(str, content))
        if isinstance(content, dict)
        else type(content).__name__
    )
