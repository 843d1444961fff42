"""The registry of mechanisms: functions, names, supported notions and sources.

``design``, ``compare``, the command line, the contract test and the reference page all
read the registry. Another package adds its mechanisms through an entry point of the
group ``liftlib.plugins``, which names a module that calls ``mechanisms.register`` when
it is imported.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property, partial
from html import escape
from importlib import import_module
from typing import Any

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter, UnsupportedNotion, shown
from liftlib.family import Family
from liftlib.joint import Joint
from liftlib.merging.subset_merging import subset_merging
from liftlib.merging.watchdog import watchdog
from liftlib.noise.conditional_reporting import conditional_reporting
from liftlib.noise.randomised_response import randomised_response
from liftlib.noise.unary_encoding import unary_encoding
from liftlib.notions import AttributeWise, Convex, LiftNotion, Notion, PolyhedralLift
from liftlib.plugins import load_plugins
from liftlib.progress import gap_line
from liftlib.reduction.linear import linear_reduction
from liftlib.reduction.transport import markov_reduction, secret_aware_reduction
from liftlib.response.optimal import optimal_response, usual_work
from liftlib.response.product import product_response
from liftlib.response.subset_response import subset_response
from mixproof.checks import checked

Function = Callable[..., Channel]
"""A function of a joint distribution and a notion, or a family."""
NEAREST = 3  # names that a message suggests for an unknown one


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
    function : callable
        A function of a joint distribution and a notion, or a
        :class:`~liftlib.family.Family`.
    needs : type
        The interface that a notion must provide, such as ``LiftNotion``.
    cost, source : str
        Growth of the running time; the paper with section or equation.
    sees_secret : bool
        Whether its channel is P(y|s,x).
    most_symbols : int or None
        Number of symbols beyond which it refuses, or is too slow for interactive use.
    papers : tuple of (str, str)
        What the papers call it: the paper's key and the name, such as
        ``("E23", "SRR")``.
    condition : tuple of (str, callable), optional
        A further condition on the notion, in words and as a function.
    brief : tuple of (int, callable), optional
        A larger number of symbols up to which ``compare`` runs it, and a function of
        the joint distribution that returns options which limit its work.

    Raises
    ------
    InvalidParameter
        If ``function`` cannot be called with a joint distribution and a notion, or
        ``needs`` is not a class of notions.
    """

    name: str
    function: Function
    needs: type[Notion]
    cost: str
    source: str
    sees_secret: bool = False
    most_symbols: int | None = None
    papers: tuple[tuple[str, str], ...] = ()
    condition: tuple[str, Callable[[Any], bool]] | None = None
    brief: tuple[int, Callable[[Joint], dict[str, Any]]] | None = None

    def __post_init__(self) -> None:
        _check_callable(self.name, self.function)
        if not (isinstance(self.needs, type) and issubclass(self.needs, Notion)):
            raise InvalidParameter(
                f"{self.name}: needs is {shown(self.needs)}: give the class of notions "
                "that it serves, such as liftlib.notions.LiftNotion"
            )

    @property
    def words(self) -> str:
        """The notions that it serves, in words."""
        if self.condition is not None:
            return self.condition[0]
        return self.needs.requirement.words

    def serves(self, notion: Notion) -> Answer:
        """Return whether it serves a notion; ``refusal`` says why not.

        Examples
        --------
        >>> from liftlib import SRLIP
        >>> print(mechanisms["watchdog"].serves(SRLIP(1.0, (2, 2))).refusal)
        watchdog needs a notion that each output's lifts decide; SRLIP(eps=1.0, \
shape=(2, 2)) does not provide required_budgets (LiftNotion)
        """
        reason = notion.lacks(self.needs)
        if reason is None and self.condition is not None:
            _, holds = self.condition
            if not holds(notion):
                reason = f"{notion} is not"
        if reason is None:
            return Answer()
        return Answer(f"{self.name} needs {self.words}; {reason}")

    @property
    def where(self) -> str:
        """The function's address, ``module:name``."""
        function = self.function
        name = getattr(function, "__name__", type(function).__name__)
        return f"{function.__module__}:{name}"

    @cached_property
    def options(self) -> tuple[str, ...]:
        """The names of its keyword-only parameters; none for a family."""
        if isinstance(self.function, Family):
            return ()
        try:
            parameters = inspect.signature(self.function).parameters.values()
        except ValueError:  # a function of C need not have a signature
            return ()
        return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)

    @property
    def family(self) -> Family | None:
        """The family, if the mechanism is one; otherwise None."""
        return self.function if isinstance(self.function, Family) else None

    @checked
    def __call__(self, joint: Joint, notion: Notion, **options: Any) -> Channel:
        """Return a channel that satisfies the notion, given any of ``self.options``.

        A mechanism with the option ``report`` shows its gap after two seconds on a
        terminal or in a notebook; ``report=None`` turns this off.

        Raises
        ------
        UnsupportedNotion
            If the mechanism does not serve the notion; the message names those that do.
        InvalidParameter
            If the mechanism has no such option; the message lists its options.
        """
        if not (answer := self.serves(notion)):
            others = [one.name for one in mechanisms.values() if one.serves(notion)]
            raise UnsupportedNotion(f"{answer.refusal}: use {', '.join(others)}")
        unknown = [name for name in options if name not in self.options]
        if unknown:
            takes = "it has none"
            if self.options:
                takes = f"its options are {', '.join(self.options)}"
            raise InvalidParameter(f"{self.name} has no option {unknown[0]!r}: {takes}")
        if "report" in self.options and "report" not in options:
            with gap_line(self.name) as report:
                channel = self.function(joint, notion, report=report, **options)
        else:
            channel = self.function(joint, notion, **options)
        if fault := no_channel(channel):
            raise InvalidParameter(f"{self.name}: {fault}")
        try:
            return channel.labelled(joint)
        except InvalidParameter as error:
            raise InvalidParameter(f"{self.name}: {error}") from error


def no_channel(returned: object) -> str:
    """Return how what a mechanism returns is no channel, or ""."""
    if isinstance(returned, Channel):
        return ""
    remedy = "give a Channel"
    if isinstance(returned, tuple):
        remedy = "is there a comma after it?"
    elif returned is None:
        remedy = "is a return missing?"
    return f"it returns a {type(returned).__name__}, not a Channel: {remedy}"


def _check_callable(name: str, function: object) -> None:
    """Raise InvalidParameter unless it can be called with a joint and a notion."""
    if not callable(function):
        raise InvalidParameter(
            f"no mechanism {name!r}: it is {shown(function)}; give a function of a "
            "joint distribution and a notion"
        )
    if isinstance(function, Family | Mechanism):
        return
    try:
        inspect.signature(function).bind(None, None)
    # a function of C need not have a signature
    except (TypeError, ValueError) as error:
        raise InvalidParameter(
            f"{name!r} cannot be called as (joint, notion), as a mechanism is: {error}"
        ) from error


def own_mechanism(function: Function, name: str = "") -> Mechanism:
    """Return an entry for a function or family that is not registered.

    Parameters
    ----------
    function : callable
        A function of a joint distribution and a notion. That of a registered mechanism,
        also with some options set by ``functools.partial``, serves the same notions.
    name : str
        By default the function's own.

    Raises
    ------
    InvalidParameter
        If it cannot be called with a joint distribution and a notion.

    Examples
    --------
    >>> own_mechanism(partial(watchdog, extend=False)).name
    'watchdog(extend=False)'
    """
    if isinstance(function, Mechanism):
        return replace(function, name=name or function.name)
    of = function.func if isinstance(function, partial) else function
    if not name:
        name = getattr(of, "__name__", None) or type(of).__name__
        if isinstance(function, partial):
            given = [f"{key}={value!r}" for key, value in function.keywords.items()]
            name = f"{name}({', '.join(given)})"
    for entry in mechanisms.registered:
        if entry.function is of:
            return replace(entry, name=name, function=function)
    return Mechanism(name, function, Notion, "not known", name)


def _imported(where: str) -> Mechanism:
    """Return an entry for a function given as ``module:function``."""
    module, _, attribute = where.partition(":")
    try:
        function = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        remedy = ""
        if isinstance(error, ModuleNotFoundError):
            remedy = "; is its module on PYTHONPATH?"
        raise InvalidParameter(f"no mechanism {where!r}: {error}{remedy}") from error
    _check_callable(where, function)
    return own_mechanism(function, where)


def _folded(name: str) -> str:
    """Return a name without case, its words joined by hyphens."""
    return name.casefold().replace(" ", "-").replace("_", "-")


class Registry(Mapping[str, Mechanism]):
    """The mechanisms by name, including those of plug-ins.

    ``mechanisms["subset-merging"]`` is the entry; ``mechanisms.subset_merging`` is the
    function or family itself. The papers' names find the same entries; case, spaces,
    hyphens and underscores do not matter. ``mechanisms["Algorithm 1"]`` is ambiguous,
    ``mechanisms["E23 Algorithm 1"]`` is not.

    Examples
    --------
    >>> mechanisms["AORR"].name, mechanisms["S20 Algorithm 1"].name
    ('optimal', 'conditional-reporting')
    >>> mechanisms.watchdog.__name__
    'watchdog'
    """

    def __init__(self, entries: tuple[Mechanism, ...]) -> None:
        self._entries = {entry.name: entry for entry in entries}

    def register(self, *entries: Mechanism) -> None:
        """Add mechanisms; an existing one with the same name is replaced.

        Raises
        ------
        InvalidParameter
            If an entry is not a :class:`Mechanism`.
        """
        for entry in entries:
            if not isinstance(entry, Mechanism):
                raise InvalidParameter(
                    f"register is given {shown(entry)}: give "
                    "liftlib.registry.Mechanism("
                    "name, function, needs, cost, source); design and compare take a "
                    "function as it is"
                )
        self._entries.update({entry.name: entry for entry in entries})

    @property
    def registered(self) -> tuple[Mechanism, ...]:
        """The entries so far, without importing plug-ins."""
        return tuple(self._entries.values())

    def _all(self) -> dict[str, Mechanism]:
        """Return all entries; the first call imports the plug-ins of installed
        packages.
        """
        load_plugins()
        return self._entries

    def _called(self, name: str, entries: Iterable[Mechanism]) -> Mechanism | None:
        """Return the mechanism of this name, a key or a paper's; None if there is none.

        Raises
        ------
        InvalidParameter
            If papers use the name for several mechanisms.
        """
        asked = _folded(name)
        found: dict[str, list[str]] = {}
        by_name: dict[str, Mechanism] = {}
        for entry in entries:
            if asked == _folded(entry.name):
                return entry
            for paper, alias in entry.papers:
                if asked in (_folded(alias), _folded(f"{paper} {alias}")):
                    found.setdefault(entry.name, []).append(f"{paper} {alias}")
                    by_name[entry.name] = entry
        if len(found) > 1:
            each = [f"{' or '.join(names)} ({entry})" for entry, names in found.items()]
            raise InvalidParameter(f"{name!r} can mean several: say {', '.join(each)}")
        return next(iter(by_name.values()), None)

    def __getitem__(self, name: str | Function) -> Mechanism:
        """Return the mechanism of this name, a key or a paper's.

        A function, or its address ``module:function``, gets an entry of its own.

        Raises
        ------
        InvalidParameter
            If there is no such mechanism, or there are several; the message names the
            nearest.
        """
        if callable(name):
            return own_mechanism(name)
        if not isinstance(name, str):
            raise InvalidParameter(
                f"a mechanism is {shown(name)}: give a name, or a function of a joint "
                "distribution and a notion"
            )
        # plug-ins are imported only if a name is not known without them
        entry = self._entries.get(name) or self._called(name, self.registered)
        if entry is None:
            entry = self._called(name, self._all().values())
        if entry is not None:
            return entry
        if ":" in name:
            return _imported(name)
        raise InvalidParameter(
            f"no mechanism {name!r}: {self._nearest(name)} There are "
            f"{', '.join(self._all())}, or MODULE:FUNCTION"
        )

    def _nearest(self, name: str) -> str:
        """Return the question whether one of the nearest names was meant."""
        names = dict[str, str]()
        for entry in self._all().values():
            names[_folded(entry.name)] = entry.name
            for _, alias in entry.papers:
                names.setdefault(_folded(alias), alias)
        near = get_close_matches(_folded(name), names, NEAREST, cutoff=0)
        return f"did you mean {', '.join(repr(names[one]) for one in near)}?"

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):  # a copy is asked before it has any entries
            raise AttributeError(f"mechanisms has no attribute {name!r}")
        for entries in (self.registered, self._all().values()):
            for entry in entries:
                if _folded(entry.name) == _folded(name):
                    return entry.function
        raise AttributeError(
            f"no mechanism {name!r}: there are {', '.join(self._all())}"
        )

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        try:
            return self._called(name, self._all().values()) is not None
        except InvalidParameter:  # it can mean several
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name.replace("-", "_") for name in self._all())]

    def __repr__(self) -> str:
        return f"<mechanisms: {', '.join(self._all())}>"

    def _repr_html_(self) -> str:
        titles = ("mechanism", "in the papers", "serves", "time", "source")
        header = "".join(f"<th>{title}</th>" for title in titles)
        body = ""
        for entry in self.values():
            names = ", ".join(map(" ".join, entry.papers))
            texts = (entry.name, names, entry.words, entry.cost, entry.source)
            cells = "".join(f"<td>{escape(text)}</td>" for text in texts)
            body += f"<tr>{cells}</tr>"
        return f"<table><tr>{header}</tr>{body}</table>"


def _brief_work(joint: Joint) -> dict[str, Any]:
    """Return options by which the optimal response takes about two seconds."""
    return {"work": max(1, usual_work(joint) // 15)}


mechanisms = Registry(
    (
        Mechanism(
            "watchdog",
            watchdog,
            LiftNotion,
            "|S| |X|",
            "E23 section 3.1, eqs. (6)-(11)",
            papers=(("E23", "watchdog"), ("C22", "complete merging")),
        ),
        Mechanism(
            "subset-merging",
            subset_merging,
            LiftNotion,
            "|S| |X|²",
            "E23 Algorithm 1; C22 Algorithm 1",
            papers=(
                ("E23", "Algorithm 1"),
                ("C22", "Algorithm 1"),
                ("E23", "subset merging"),
                ("C22", "subset merging"),
            ),
        ),
        Mechanism(
            "optimal",
            optimal_response,
            Convex,
            "a tree of bounds: seconds at 15 secrets and 200 symbols",
            "E23 section 3.1.2, eqs. (15)-(30); S20 Theorems 2 and 3",
            most_symbols=50,
            papers=(
                ("E23", "AORR"),
                ("E23", "ORR"),
                ("S20", "ORR"),
                ("E23", "optimal random response"),
            ),
            brief=(500, _brief_work),
        ),
        Mechanism(
            "subset-response",
            subset_response,
            PolyhedralLift,
            "vertices of each subset",
            "E23 Algorithm 2",
            papers=(
                ("E23", "SRR"),
                ("E23", "Algorithm 2"),
                ("E23", "subset random response"),
            ),
        ),
        Mechanism(
            "product",
            product_response,
            AttributeWise,
            "vertices of each attribute",
            "S20 Theorem 4, repaired",
        ),
        Mechanism(
            "randomised-response",
            randomised_response,
            Notion,
            "a root of |S| |X|²",
            "S20 eqs. (28), (29)",
            most_symbols=10_000,
            papers=(("S20", "GRR"), ("S20", "generalised randomised response")),
        ),
        Mechanism(
            "unary-encoding",
            unary_encoding,
            Notion,
            "a root of |S| 2^|X|",
            "S20 eqs. (30)-(32)",
            most_symbols=12,
            papers=(("S20", "OUE"), ("S20", "optimised unary encoding")),
        ),
        Mechanism(
            "conditional-reporting",
            conditional_reporting,
            LiftNotion,
            "a root of |S| |X|²",
            "S20 Algorithm 1, Propositions 1 and 2",
            sees_secret=True,
            most_symbols=2_000,
            papers=(("S20", "CR"), ("S20", "Algorithm 1")),
        ),
        Mechanism(
            "linear-reduction",
            linear_reduction,
            Notion,
            "a root of |S| |X|²",
            "I21 eq. (3), Lemma 1",
            most_symbols=10_000,
            papers=(("I21", "linear reduction"),),
        ),
        Mechanism(
            "markov-reduction",
            markov_reduction,
            LiftNotion,
            "a root of linear programmes of |X|² unknowns",
            "I21 problem (10)",
            most_symbols=20,
        ),
        Mechanism(
            "secret-aware-reduction",
            secret_aware_reduction,
            LiftNotion,
            "a root of |S| |X|²",
            "I21 Propositions 1 and 2",
            sees_secret=True,
            most_symbols=2_000,
        ),
    )
)
"""Every mechanism by the name that ``design`` and the command line use."""


def serving(
    joint: Joint, notion: Notion
) -> tuple[list[tuple[Mechanism, dict[str, Any]]], dict[str, str]]:
    """Return the mechanisms that serve a notion and are fast enough, with options.

    The second value is the reason for each of the others, by name.
    """
    chosen: list[tuple[Mechanism, dict[str, Any]]] = []
    left_out: dict[str, str] = {}
    for entry in mechanisms.values():
        if not entry.serves(notion):
            left_out[entry.name] = f"not for {notion}"
        elif entry.most_symbols is None or joint.n_public <= entry.most_symbols:
            chosen.append((entry, {}))
        elif entry.brief is not None and joint.n_public <= entry.brief[0]:
            chosen.append((entry, entry.brief[1](joint)))
        else:
            most = entry.most_symbols if entry.brief is None else entry.brief[0]
            left_out[entry.name] = f"slow beyond {most} symbols"
    return chosen, left_out
