"""How a figure's function is made: its joint distributions drawn, its shared parameters explained, its rows timed.

Many figures have the same parameters. Their descriptions stand once, in :data:`PARAMETERS`, and are added to each
docstring; a figure describes itself what it has alone, or what it has in another sense.
"""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import Parameter
from typing import Any, ParamSpec

import pandas as pd

from liftlib.datasets import adult, uniform_joints
from liftlib.errors import InvalidParameter, shown
from liftlib.joint import Joint
from mixproof.numerics import Rng, generator

P = ParamSpec("P")
Rows = Callable[..., pd.DataFrame]

PARAMETERS = {
    "n_trials": ("int", "Uniform random joint distributions."),
    "epsilons": ("iterable of float", "Privacy budgets, nats."),
    "lambdas": ("iterable of float", "Shares of the min-lift budget, in [0, 1]."),
    "lam": ("float", "The share of the min-lift budget, in [0, 1]."),
    "alphas": ("iterable of float", "Orders of the alpha-lift, above 1."),
    "shares": ("iterable of float", "Shares of the reduction, each in [0, 1]."),
    "n_secret": ("int", "``|S|``."),
    "n_public": ("int", "``|X|``."),
    "extend": (
        "bool",
        "Whether low-risk symbols join where the merged ones break the notion; the paper's mechanism does not.",
    ),
    "ldp": ("bool", "Whether to add the optimal LDP response, which the paper's figure does not have."),
    "listed": (
        "bool",
        "Whether vertices are listed, as the paper has it, which takes longer and says how many there are.",
    ),
    "leave_out": ("sequence of str", "Relationships whose people are left out."),
    "joint": ("Joint, optional", "Another joint distribution to run on instead."),
    "concentration": ("float", "Of the symmetric Dirichlet distribution over the cells; 1/2 is Jeffreys' prior."),
    "rng": ("int or numpy.random.Generator", "Seed or source of randomness."),
}
"""Type and meaning of the parameters that figures share."""


def figure(function: Callable[P, pd.DataFrame]) -> Callable[P, pd.DataFrame]:
    """Let a figure's rows carry the seconds that they took, and its docstring the parameters that it shares.

    The seconds are ``rows.attrs["seconds"]``, for the map of figures.

    Examples
    --------
    >>> @figure
    ... def figure_0(epsilons, *, rng=0):
    ...     \"\"\"Return nothing (a test).\"\"\"
    ...     return pd.DataFrame()
    >>> figure_0.__doc__.splitlines()[-2:]
    ['rng : int or numpy.random.Generator, keyword-only', '    Seed or source of randomness.']
    """
    signature = inspect.signature(function)

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> pd.DataFrame:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            if PARAMETERS.get(name, ("",))[0] == "iterable of float" and not isinstance(value, Iterable):
                raise InvalidParameter(f"{name} is {shown(value)}: give several numbers, such as [0.5, 1.0]")
        started = time.perf_counter()
        rows = function(*args, **kwargs)
        rows.attrs["seconds"] = time.perf_counter() - started
        return rows

    run.__doc__ = _explained(function.__doc__ or "", signature)
    return run


def on_random_joints(n_trials: int, n_secret: int, n_public: int) -> Callable[[Rows], Rows]:
    """Make a figure of a function of joint distributions, shape (N, S, X), drawn uniformly; these are its defaults.

    The figure takes ``n_trials`` before the function's own parameters, and ``n_secret``, ``n_public`` and ``rng``
    after them.
    """

    def made(function: Rows) -> Rows:
        def draw(given: dict[str, Any]) -> Any:
            rng = generator(given.pop("rng"))
            return uniform_joints(given.pop("n_trials"), given.pop("n_secret"), given.pop("n_public"), rng)

        return _given_joints(
            function,
            draw,
            [_parameter("n_trials", n_trials, int)],
            [_parameter("n_secret", n_secret, int), _parameter("n_public", n_public, int)],
            [_parameter("rng", 0, Rng, Parameter.KEYWORD_ONLY)],
        )

    return made


def on_adult(function: Rows) -> Rows:
    """Make a figure on Adult, S = relationship and X = occupation, of a function of joint distributions (1, S, X).

    The figure takes ``leave_out`` and ``joint`` after the function's own parameters.
    """

    def draw(given: dict[str, Any]) -> Any:
        leave_out, joint = tuple(given.pop("leave_out")), given.pop("joint")
        return (adult("relationship", "occupation", leave_out=leave_out) if joint is None else joint).p[None]

    named = [
        _parameter("leave_out", (), Sequence[str], Parameter.KEYWORD_ONLY),
        _parameter("joint", None, Joint | None, Parameter.KEYWORD_ONLY),
    ]
    return _given_joints(function, draw, [], [], named)


def _parameter(name: str, default: Any, kind: Any, how: Any = Parameter.POSITIONAL_OR_KEYWORD) -> Parameter:
    return Parameter(name, how, default=default, annotation=kind)


def _given_joints(
    function: Rows,
    draw: Callable[[dict[str, Any]], Any],
    before: list[Parameter],
    after: list[Parameter],
    named: list[Parameter],
) -> Rows:
    own = inspect.signature(function)
    _, *others = own.parameters.values()
    placed = [p for p in others if p.kind is not Parameter.KEYWORD_ONLY]
    keyed = [p for p in others if p.kind is Parameter.KEYWORD_ONLY]
    signature = own.replace(parameters=[*before, *placed, *after, *keyed, *named])

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> pd.DataFrame:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return function(draw(bound.arguments), **bound.arguments)

    run.__signature__ = signature  # type: ignore[attr-defined]
    return figure(run)


def _explained(text: str, signature: inspect.Signature) -> str:
    """Return a docstring with a section of parameters in the signature's order, its own descriptions first."""
    text = inspect.cleandoc(text)
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}$|\Z)", text, re.MULTILINE | re.DOTALL)
    own = dict(re.findall(r"^(\w+) :[^\n]*\n((?:    [^\n]*\n?)+)", section[1] if section else "", re.MULTILINE))
    kinds = dict(re.findall(r"^(\w+) : ([^\n]*)\n", section[1] if section else "", re.MULTILINE))
    lines = ["Parameters", "----------"]
    for name, parameter in signature.parameters.items():
        kind, meaning = PARAMETERS.get(name, ("", ""))
        keyword_only = ", keyword-only" if parameter.kind is Parameter.KEYWORD_ONLY else ""
        lines += [f"{name} : {kinds.get(name, kind)}{keyword_only}", own.get(name, f"    {meaning}").rstrip()]
    if len(lines) == 2:
        return text
    body = text if section is None else text[: section.start()] + text[section.end() :]
    head, mark, rest = body.partition("\n\nReturns\n")
    return f"{head.rstrip()}\n\n" + "\n".join(lines) + (f"{mark}{rest}".rstrip() if mark else "")
