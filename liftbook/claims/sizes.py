"""The joint distributions and budgets at which a call runs, read from the functions
that compute it.

A function of claims has its sizes as defaults of its parameters (``size``, ``shapes``,
``epsilons``, ...), or it takes them from a figure, a joint distribution of its module,
or a function that it calls. Nothing here repeats a number.
"""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from types import CodeType, FunctionType
from typing import Any

from liftbook import figures
from liftbook.claims import FUNCTIONS, Entry
from liftbook.claims.curves import WITHIN, CurveClaim, Figure
from liftbook.claims.samples import Size, occupations
from liftbook.claims.settings import relationships
from liftbook.figures.i21 import EXAMPLE_1
from liftbook.rows.making import adult_joint
from liftlib.datasets import adult, adult_frame
from liftlib.joint import Joint

PACKAGE = "liftbook.claims."
DRAWS = (
    "liftbook.claims.samples",
    "liftbook.claims.curves",
    "liftbook.claims.settings",
)
"""Modules whose functions draw joints at the sizes that others give them."""

PRINTED: Mapping[str, tuple[Size, ...]] = {
    "E23": ((1000, 5, 17), (100, 5, 17)),
    "C22": ((1000, 13, 20),),
    "S20": ((10, 2, 5),),
}
"""The random draws whose number and size a paper prints: E23 section 3.1.3, C22 section
4, S20 section VIII-A.
"""


COUNTED: Mapping[str, str] = {
    "priors": "priors",
    "lifts_each": "lifts of each",
    "kernels": "kernels",
    "kernels_each": "kernels each",
    "pairs_each": "pairs of outputs each",
    "etas": "$\\eta$",
}
"""What else a parameter counts, in words."""
SMALL = 18
"""Largest number of entries of a joint distribution that a row prints."""


@dataclass(frozen=True)
class Ran:
    """What a call runs on.

    Attributes
    ----------
    drawn, given : tuple of Size
        Random joint distributions, and those that are written down or counted in a
        table.
    budgets, shares : tuple of float
        Budgets in nats, and shares of the reduction; empty if they are random, or part
        of the call.
    counts : tuple of (int, str)
        What else there is how many of, such as ``(50, "priors")``.
    """

    drawn: tuple[Size, ...] = ()
    given: tuple[Size, ...] = ()
    budgets: tuple[float, ...] = ()
    shares: tuple[float, ...] = ()
    counts: tuple[tuple[int, str], ...] = ()


def together(parts: Iterable[Ran]) -> Ran:
    """Return what several calls run on."""
    every = list(parts)
    return Ran(
        tuple(dict.fromkeys(size for part in every for size in part.drawn)),
        tuple(dict.fromkeys(size for part in every for size in part.given)),
        tuple(sorted({budget for part in every for budget in part.budgets})),
        tuple(sorted({share for part in every for share in part.shares})),
        tuple(dict.fromkeys(count for part in every for count in part.counts)),
    )


def of_claim(entry: Entry) -> Ran:
    """Return what the cases of a claim's readings run on."""
    return together(ran(case.call) for case in entry.cases)


def ran(call: str) -> Ran:
    """Return what a call runs on.

    Examples
    --------
    >>> ran("fig1_statistic:psi_least")
    Ran(drawn=((1000, 5, 17),), given=(), budgets=(), shares=(), counts=())
    >>> ran("example_probability:a").given, ran("watchdog_synthetic:1").budgets
    (((1, 2, 4),), (1.0,))
    """
    name, _, argument = call.partition(":")
    function = FUNCTIONS[name]
    if isinstance(function, CurveClaim):
        return _of_curves(function, argument)
    return together(_of_function(function, argument))


def _of_curves(claim: CurveClaim, argument: str) -> Ran:
    """Return what the figures of a claim about curves run on, at the budgets that the
    claim uses.
    """
    found = together(_of_figure(figure) for figure in claim.drawn_for(argument))
    if "budget" in claim.row:
        return replace(
            found, budgets=(float(str(claim.row["budget"]).replace("$", argument)),)
        )
    asked = str(claim.row.get("budgets", "all budgets")).replace("$", argument)
    word, _, limits = asked.partition(" ")
    if word == "all":
        return found
    inside = tuple(
        one
        for one in found.budgets
        if WITHIN[word](one, *map(float, limits.split(" to ")))
    )
    return replace(found, budgets=inside)


def _of_figure(figure: Figure) -> Ran:
    """Return what a figure runs on, from its function's signature and the arguments
    that are given here.
    """
    signature = inspect.signature(getattr(figures, f"figure_{figure.number}"))
    bound = signature.bind(*figure.scale, **figure.options)
    bound.apply_defaults()
    return _of_parameters(bound.arguments)


def _of_function(
    function: Callable[..., Any], argument: str, seen: set[int] | None = None
) -> Iterator[Ran]:
    """Yield what a function runs on: by its parameters, and by what it uses of its
    module.
    """
    called, seen = seen is None, set() if seen is None else seen
    if id(function) in seen:
        return
    seen.add(id(function))
    parameters = inspect.signature(function).parameters.values()
    given = {
        one.name: one.default for one in parameters if one.default is not one.empty
    }
    first = next(iter(parameters), None)
    if called and argument and first is not None and first.name in ("eps", "eps_u"):
        given["eps"] = float(argument)
    yield _of_parameters(given)
    inner = inspect.unwrap(function, stop=lambda one: hasattr(one, "__signature__"))
    if not inspect.isfunction(inner):
        return
    for value in _used_by(inner):
        if value is adult and first is not None and first.name == "column":
            yield Ran(counts=((len(adult_frame()), "rows of Adult"),))
        elif value is occupations:
            yield _of_joints([occupations(_way_in(argument))])
        elif isinstance(value, Figure):
            yield _of_figure(value)
        elif isinstance(value, Joint):
            yield _of_joints([value])
        elif (
            isinstance(value, list | tuple)
            and value
            and all(isinstance(one, Joint) for one in value)
        ):
            yield _of_joints(value)
        elif inspect.isroutine(value) or hasattr(value, "__wrapped__"):
            module = str(getattr(value, "__module__", ""))
            if module.startswith(PACKAGE) and module not in DRAWS:
                yield from _of_function(value, argument, seen)


def _used_by(function: FunctionType) -> Iterator[Any]:
    """Yield what a function uses of its module and of the functions around it, in
    comprehensions as well.
    """
    yield from (cell.cell_contents for cell in function.__closure__ or ())
    codes = [function.__code__]
    for code in codes:
        codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    names = dict.fromkeys(name for code in codes for name in code.co_names)
    yield from (
        function.__globals__[name] for name in names if name in function.__globals__
    )


def _way_in(argument: str) -> str:
    """Return the way to five relationships that a call names, "none" if it
    names none.
    """
    last = argument.rpartition(", ")[2]
    return last if last in relationships() else "none"


def _of_parameters(given: Mapping[str, Any]) -> Ran:
    """Return what parameters with such values stand for."""
    trials, secrets = given.get("n_trials", 1), given.get("n_secret")
    drawn: list[Size] = []
    if "size" in given:
        drawn.append(given["size"])
    elif "shapes" in given:
        drawn += [(trials, *shape) for shape in given["shapes"]]
    elif "n_secrets" in given:
        drawn += [
            (trials, *shape)
            for shape in product(given["n_secrets"], given["n_publics"])
        ]
    elif secrets is not None:
        drawn.append(
            (
                trials,
                secrets,
                given["n_public"] if "n_public" in given else math.prod(given["shape"]),
            )
        )
    one = (given["eps"],) if "eps" in given else ()
    budgets, shares = given.get("epsilons", one), given.get("shares", ())
    there = _of_joints(_joints_of(given)).given
    counts = tuple(
        (given[name], noun) for name, noun in COUNTED.items() if name in given
    )
    return Ran(
        tuple(drawn),
        there,
        tuple(map(float, budgets)),
        tuple(map(float, shares)),
        counts,
    )


def _joints_of(given: Mapping[str, Any]) -> list[Joint]:
    """Return the joint distributions that are not drawn: one that is given, or columns
    of Adult.
    """
    if isinstance(given.get("joint"), Joint):
        return [given["joint"]]
    if "shares" in given:
        return [EXAMPLE_1]
    if "leave_out" in given:
        return [Joint(adult_joint(given["leave_out"])[0])]
    pairs = given.get("pairs", [given["columns"]] if "columns" in given else [])
    if "publics" in given:
        pairs = list(product(given["secrets"], given["publics"]))
    return [_columns(*pair) for pair in pairs]


_columns = cache(adult)


def _of_joints(joints: Iterable[Joint]) -> Ran:
    """Return what joint distributions that are not drawn amount to: how many there are
    of each size.
    """
    counted = Counter((joint.n_secret, joint.n_public) for joint in joints)
    return Ran(given=tuple((count, *shape) for shape, count in counted.items()))


def in_words(found: Ran) -> str:
    r"""Return what a claim ran on, as Markdown.

    Examples
    --------
    >>> in_words(Ran(((1000, 5, 17),), ((1, 2, 4),), (0.5, 1.0, 8.0)))
    '1,000 random joints $5 \\times 17$; 1 joint $2 \\times 4$; 3 budgets from 0.5 to 8'
    >>> in_words(Ran(((100, 3, 8), (100, 8, 3)), budgets=(0.25,))), in_words(Ran())
    ('100 random joints each of $3 \\times 8$ and $8 \\times 3$; budget 0.25', '')
    """
    pieces = [*_sized(found.drawn, "random joint"), *_sized(found.given, "joint")]
    pieces += [f"{number:,} {noun}" for number, noun in found.counts]
    for name, values in (("budget", found.budgets), ("share", found.shares)):
        if len(values) == 1:
            pieces.append(f"{name} {values[0]:g}")
        elif values:
            pieces.append(f"{len(values)} {name}s from {values[0]:g} to {values[-1]:g}")
    return "; ".join(pieces)


def _sized(sizes: Iterable[Size], noun: str) -> Iterator[str]:
    """Yield how many joint distributions there are of which sizes, once for each number
    of them.
    """
    shapes: dict[int, list[str]] = {}
    for joints, secrets, symbols in sizes:
        shapes.setdefault(joints, []).append(f"${secrets} \\times {symbols}$")
    for joints, some in shapes.items():
        *first, last = some
        each = f"each of {', '.join(first)} and {last}" if first else last
        yield f"{joints:,} {noun}{'' if joints == 1 else 's'} {each}"


def written(call: str) -> Joint | None:
    """Return the small joint distribution that a call names as its own, if there is
    one: a counterexample that a row can print.

    Examples
    --------
    >>> written("problem_15_is_unsolvable").n_public, written("ldp_misses_alip")
    (3, None)
    """
    function = FUNCTIONS[call.partition(":")[0]]
    if isinstance(function, CurveClaim):
        return None
    parameters = inspect.signature(function).parameters.values()
    named = [one.default for one in parameters]
    inner = inspect.unwrap(function, stop=lambda one: hasattr(one, "__signature__"))
    named += _used_by(inner) if inspect.isfunction(inner) else []
    small = [
        one
        for one in named
        if isinstance(one, Joint) and one.p.size <= SMALL and one is not EXAMPLE_1
    ]
    return small[0] if len(small) == 1 else None


def as_matrix(joint: Joint) -> str:
    r"""Return a joint distribution in TeX, a row for each secret.

    Examples
    --------
    >>> as_matrix(Joint([[0.0, 0.3], [0.35, 0.35]]))
    '$\\begin{pmatrix}0 & 0.3 \\\\ 0.35 & 0.35\\end{pmatrix}$'
    """
    rows = [" & ".join(f"{p:.4g}" for p in row) for row in joint.p]
    return "$\\begin{pmatrix}" + r" \\ ".join(rows) + "\\end{pmatrix}$"


def at_printed_size(paper: str, found: Ran) -> bool:
    """Return whether a claim ran on a random draw of the number and size that its paper
    prints.

    Examples
    --------
    >>> (
    ...     at_printed_size("E23", ran("fig1_statistic:psi_least")),
    ...     at_printed_size("E23", ran("ldp_misses_alip")),
    ... )
    (True, False)
    """
    return any(size in PRINTED.get(paper, ()) for size in found.drawn)
