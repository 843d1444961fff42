"""The registry of mechanisms: names, supported notions, running times and sources.

``design``, ``compare``, the command line, the contract test and the reference page all read the registry. Another
package adds its mechanisms through an entry point of the group ``liftlib.plugins``, which names a module that calls
``mechanisms.register`` when it is imported.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from html import escape
from importlib import import_module
from typing import Any, cast

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter, UnsupportedNotion
from liftlib.family import Family
from liftlib.joint import Joint
from liftlib.notions import AttributeWise, Convex, LiftNotion, Notion, PolyhedralLift
from liftlib.plugins import load_plugins
from liftlib.progress import GapLine
from mixproof.checks import checked


@dataclass(frozen=True)
class Answer:
    """Whether a mechanism serves a notion and, if not, the reason."""

    refusal: str = ""

    def __bool__(self) -> bool:
        """Return whether it serves the notion."""
        return not self.refusal


@dataclass(frozen=True)
class Mechanism:
    """A registered mechanism, called as ``mechanism(joint, notion, **options)``.

    Attributes
    ----------
    name : str
        The name on the command line.
    where : str
        A function of a joint distribution and a notion, or a :class:`~liftlib.family.Family`, as ``module:name``.
    needs : type
        The interface that a notion must provide, such as ``LiftNotion``.
    cost, source : str
        Growth of the running time; the paper with section or equation.
    sees_secret : bool
        Whether its channel is P(y|s,x).
    most_symbols : int or None
        Number of symbols beyond which it refuses, or is too slow for interactive use.
    options : tuple of str
        Names of its keyword-only parameters.
    condition : tuple of (str, callable), optional
        A further condition on the notion, in words and as a function.
    population : str
        The design for the population that takes its place, a name in ``lifttables.confident.certification``; with none,
        its own channel is fitted or mixed with a constant release.
    """

    name: str
    where: str
    needs: type[Notion]
    cost: str
    source: str
    sees_secret: bool = False
    most_symbols: int | None = None
    options: tuple[str, ...] = ()
    condition: tuple[str, Callable[[Any], bool]] | None = None
    population: str = ""

    @property
    def words(self) -> str:
        """The notions that it serves, in words."""
        return self.needs.requirement.words if self.condition is None else self.condition[0]

    def serves(self, notion: Notion) -> Answer:
        """Return whether it serves a notion; ``refusal`` says why not.

        Examples
        --------
        >>> from liftlib import SRLIP
        >>> mechanisms["watchdog"].serves(SRLIP(1.0, (2, 2))).refusal
        "watchdog needs a notion that each output's lifts decide; SRLIP(eps=1.0, shape=(2, 2)) does not provide \
required_budgets (LiftNotion)"
        """
        reason = notion.lacks(self.needs)
        if reason is None and self.condition is not None and not self.condition[1](notion):
            reason = f"{notion} is not"
        return Answer("" if reason is None else f"{self.name} needs {self.words}; {reason}")

    @property
    def function(self) -> Callable[..., Channel]:
        """The function or family that implements the mechanism."""
        module, _, attribute = self.where.partition(":")
        return cast("Callable[..., Channel]", getattr(import_module(module), attribute))

    @property
    def family(self) -> Family | None:
        """The family, if the mechanism is one; otherwise None."""
        function = self.function
        return function if isinstance(function, Family) else None

    @checked
    def __call__(self, joint: Joint, notion: Notion, **options: Any) -> Channel:
        """Return a channel that satisfies the notion, given any of ``self.options``.

        A mechanism with the option ``report`` shows its gap after two seconds on a terminal or in a notebook;
        ``report=None`` turns this off.

        Raises
        ------
        UnsupportedNotion
            If the mechanism does not serve the notion; the message names those that do.
        InvalidParameter
            If the mechanism has no such option; the message lists its options.
        """
        if not (answer := self.serves(notion)):
            others = ", ".join(mechanism.name for mechanism in mechanisms.values() if mechanism.serves(notion))
            raise UnsupportedNotion(f"{answer.refusal}: use {others}")
        unknown = [name for name in options if name not in self.options]
        if unknown:
            takes = f"its options are {', '.join(self.options)}" if self.options else "it has none"
            raise InvalidParameter(f"{self.name} has no option {unknown[0]!r}: {takes}")
        if "report" in self.options and "report" not in options:
            with GapLine(self.name) as report:
                channel = self.function(joint, notion, report=report, **options)
        else:
            channel = self.function(joint, notion, **options)
        if not isinstance(channel, Channel):
            raise InvalidParameter(f"{self.name} returns a {type(channel).__name__}: a mechanism returns a Channel")
        return channel.labelled(joint)


def own_mechanism(where: str) -> Mechanism:
    """Return an entry for a user-defined function or family, as ``module:name``.

    Raises
    ------
    InvalidParameter
        If the module cannot be imported, or has no such function of a joint distribution and a notion.

    Examples
    --------
    >>> own_mechanism("liftlib.merging.watchdog:watchdog").options
    ('randomise', 'extend')
    """
    module, _, attribute = where.partition(":")
    try:
        function = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        remedy = "; is its module on PYTHONPATH?" if isinstance(error, ModuleNotFoundError) else ""
        raise InvalidParameter(f"no mechanism {where!r}: {error}{remedy}") from error
    if isinstance(function, Mechanism):
        return function
    if not callable(function):
        raise InvalidParameter(f"no mechanism {where!r}: it is {function!r}, and a function is expected")
    options: tuple[str, ...] = ()
    if not isinstance(function, Family):
        try:
            signature = inspect.signature(function)
            signature.bind(None, None)
        except (TypeError, ValueError) as error:  # a function of C need not have a signature
            raise InvalidParameter(
                f"{where!r} cannot be called as (joint, notion), as a mechanism is: {error}"
            ) from error
        options = tuple(
            parameter.name for parameter in signature.parameters.values() if parameter.kind is parameter.KEYWORD_ONLY
        )
    return Mechanism(where, where, Notion, "not known", where, options=options)


class Registry(Mapping[str, Mechanism]):
    """The mechanisms by name, including those of plug-ins.

    ``mechanisms["subset-merging"]`` is the entry; ``mechanisms.subset_merging`` is the function or family itself.

    Examples
    --------
    >>> mechanisms["watchdog"].words
    "a notion that each output's lifts decide"
    >>> mechanisms.watchdog.__name__
    'watchdog'
    """

    def __init__(self, entries: tuple[Mechanism, ...]) -> None:
        self._entries = {entry.name: entry for entry in entries}

    def register(self, *entries: Mechanism) -> None:
        """Add mechanisms; an existing one with the same name is replaced."""
        self._entries.update({entry.name: entry for entry in entries})

    def _all(self) -> dict[str, Mechanism]:
        """Return all entries; the first call imports the plug-ins of installed packages."""
        load_plugins()
        return self._entries

    def __getitem__(self, name: str) -> Mechanism:
        """Return the mechanism with this name, or an entry for ``module:function``.

        Raises
        ------
        InvalidParameter
            If there is no such mechanism; the message lists the names.
        """
        entry = self._entries.get(name) or self._all().get(name)
        if entry is not None:
            return entry
        if ":" in name:
            return own_mechanism(name)
        near = get_close_matches(str(name), self._all(), 1)
        hint = f"did you mean {near[0]!r}? There" if near else "there"
        raise InvalidParameter(f"no mechanism {name!r}: {hint} are {', '.join(self._all())}, or MODULE:FUNCTION")

    def __getattr__(self, name: str) -> Callable[..., Channel]:
        entry = None if name.startswith("_") else self._all().get(name.replace("_", "-"))
        if entry is None:
            raise AttributeError(f"no mechanism {name!r}: there are {', '.join(self._all())}")
        return entry.function

    def __contains__(self, name: object) -> bool:
        return name in self._all()

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name.replace("-", "_") for name in self._all())]

    def __repr__(self) -> str:
        return f"<mechanisms: {', '.join(self._all())}>"

    def _repr_html_(self) -> str:
        rows = [(entry.name, entry.words, entry.cost, entry.source) for entry in self.values()]
        header = "".join(f"<th>{name}</th>" for name in ("mechanism", "serves", "time", "source"))
        cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
        return f"<table><tr>{header}</tr>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


mechanisms = Registry((
    Mechanism("watchdog", "liftlib.merging.watchdog:watchdog", LiftNotion, "|S| |X|", "E23 section 3.1, eqs. (6)-(11)",
              options=("randomise", "extend"), population="merging"),
    Mechanism("subset-merging", "liftlib.merging.subset_merging:subset_merging", LiftNotion, "|S| |X|²",
              "E23 Algorithm 1; C22 Algorithm 1", options=("extend",), population="merging"),
    Mechanism("optimal", "liftlib.response.optimal:optimal_response", Convex,
              "a tree of bounds: seconds at 15 secrets and 200 symbols",
              "E23 section 3.1.2, eqs. (15)-(30); S20 Theorems 2 and 3", most_symbols=50,
              options=("method", "gap", "seconds", "work", "report"), population="response"),
    Mechanism("subset-response", "liftlib.response.subset_response:subset_response", PolyhedralLift,
              "vertices of each subset", "E23 Algorithm 2", population="response"),
    Mechanism("product", "liftlib.response.product:product_response", AttributeWise, "vertices of each attribute",
              "S20 Theorem 4, repaired", options=("repair",)),
    Mechanism("randomised-response", "liftlib.noise.randomised_response:randomised_response", Notion,
              "a root of |S| |X|²", "S20 eqs. (28), (29)"),
    Mechanism("unary-encoding", "liftlib.noise.unary_encoding:unary_encoding", Notion, "a root of |S| 2^|X|",
              "S20 eqs. (30)-(32)", most_symbols=12),
    Mechanism("conditional-reporting", "liftlib.noise.conditional_reporting:conditional_reporting", LiftNotion,
              "a root of |S| |X|²", "S20 Algorithm 1, Propositions 1 and 2", sees_secret=True),
    Mechanism("linear-reduction", "liftlib.reduction.linear:linear_reduction", Notion, "a root of |S| |X|²",
              "I21 eq. (3), Lemma 1"),
    Mechanism("markov-reduction", "liftlib.reduction.transport:markov_reduction", LiftNotion,
              "a root of linear programmes of |X|² unknowns", "I21 problem (10)", most_symbols=20),
    Mechanism("secret-aware-reduction", "liftlib.reduction.transport:secret_aware_reduction", LiftNotion,
              "a root of |S| |X|²", "I21 Propositions 1 and 2", sees_secret=True),
))  # fmt: skip
"""Every mechanism by the name that ``design`` and the command line use."""


def serving(joint: Joint, notion: Notion) -> list[Mechanism]:
    """Return the mechanisms that serve a notion and are fast enough."""
    return [
        mechanism
        for mechanism in mechanisms.values()
        if mechanism.serves(notion) and (mechanism.most_symbols is None or joint.n_public <= mechanism.most_symbols)
    ]
