"""Comparison of notions, budgets and mechanisms on a table, with a recommendation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from liftlib import registry
from liftlib.errors import InvalidParameter, LiftError
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import entropy
from liftlib.notions import ALIP, LDP, LIP, Notion
from lifttables.confident.certification import route
from lifttables.confident.subset_lattice import MAX_LATTICE_SYMBOLS, SLOW_SYMBOLS
from lifttables.designs.designing import DEFAULT_CONFIDENCE, best_design
from lifttables.designs.statement import in_words, own_shares, statement
from lifttables.encoding.columns import JOIN, Counts
from lifttables.encoding.reading import Reading
from lifttables.recommendation.question import (
    BELIEF_LIMITS,
    Adversary,
    Question,
    percent,
    points,
    sanitise_command,
)
from lifttables.recommendation.trying import Trying
from lifttables.releases.card import DROPPED_ROWS_NOTE, card_of
from lifttables.releases.estimating import expected_error, price
from lifttables.releases.noising import secret_key, with_noise
from lifttables.releases.pipeline import warn_of_rows_alone
from lifttables.sources.source import open_table
from mixproof.checks import checked
from mixproof.numerics import SAME_TOL, Vector, check_scalar

# notions at one budget: LIP implies LDP at twice the budget, and ALIP splits that unevenly
NOTIONS_AT: dict[str, Callable[[float], Notion]] = {
    "lip": LIP,
    "alip": lambda eps: ALIP.split(2 * eps, 0.65),
    "ldp": lambda eps: LDP(2 * eps),
}

CURVE_BUDGETS = (0.25, 0.5, 1.0, 2.0)  # budgets of the curve, in nats
MAX_BUDGET = 4.0  # largest budget tried for accurate shares: the odds of a secret may grow 3,000-fold
ACCURACY_STEPS_PER_NAT = (
    100  # budgets that answer a question about accuracy are multiples of 1 / ACCURACY_STEPS_PER_NAT nats
)
UTILITY_TOL = 0.01  # if utilities differ by less, the simpler mechanism is recommended


@dataclass(frozen=True)
class Tried:
    """The result of one mechanism under one notion on the table."""

    notion: str
    mechanism: str
    eps: float  # the budget, nats
    nmi: float  # the share of H(X) that is retained; NaN without a channel
    belief: float  # the largest posterior belief
    error: float  # the expected 95 % error of the least accurate share; infinite if not all can be estimated
    rows_price: float  # factor by which an estimate needs more rows than from the table itself; may be infinite
    seconds: float
    outputs: int
    kept: tuple[str, ...]  # the guarantees of the release's card, in sentences
    not_covered: tuple[str, ...]  # the limits of its protection, in sentences
    problem: str  # why there is no channel; empty otherwise


@dataclass(frozen=True, eq=False)
class Answer:
    """The recommendation for one requirement."""

    label: str  # the name of the option, if there are several
    requirement: str  # what the release must achieve; empty for a given budget
    rows: tuple[Tried, ...]  # the results that meet the requirement, the best first
    best: Tried | None
    reason: str
    words: tuple[str, ...] = ()  # what the recommended notion means for one person
    not_covered: tuple[str, ...] = ()  # the limits of the release's protection
    command: str = ""  # the command that makes the release; empty if the table is not a file


@dataclass(frozen=True, eq=False)
class Choice:
    """All results of a comparison, and the recommendations.

    Attributes
    ----------
    secret, public : str
    rows, symbols, secrets : int
        Number of rows, public symbols and secrets in the table.
    tried : tuple of Tried
    belief : float
        The belief before the release.
    answers : tuple of Answer
        One answer for a question or a budget; otherwise a stricter, a middle and a looser option.
    """

    secret: str
    public: str
    rows: int
    symbols: int
    secrets: int
    tried: tuple[Tried, ...]
    belief: float
    answers: tuple[Answer, ...]

    @property
    def recommended(self) -> Answer:
        """The only answer, or the middle option."""
        return self.answers[len(self.answers) // 2]

    @property
    def best(self) -> Tried | None:
        """The recommended release, or None."""
        return self.recommended.best

    @property
    def reason(self) -> str:
        """The reason for the recommendation."""
        return self.recommended.reason

    @property
    def words(self) -> tuple[str, ...]:
        """What the recommended notion means for one person."""
        return self.recommended.words


@checked
def choose(
    source: Any,
    *,
    secret: str | Sequence[str],
    public: str | Sequence[str],
    eps: float | None = None,
    belief: float | None = None,
    at_most: float | None = None,
    adversary: Adversary = "shares",
    accuracy: float | None = None,
    epsilons: Sequence[float] = CURVE_BUDGETS,
    notions: Sequence[str] = ("lip", "alip", "ldp"),
    mechanisms: Sequence[str] | None = None,
    confidence: float | None = DEFAULT_CONFIDENCE,
    seconds: float = 10.0,
    told: Callable[[str], None] | None = None,
    **reading: Any,
) -> Choice:
    """Return the notion, budget and mechanism recommended for a table.

    Parameters
    ----------
    source : path or frame
        See :func:`~lifttables.sources.source.open_table`.
    secret, public : str or sequence of str
        Column names.
    eps : float, optional
        The budget of the recommended release, in nats, under the first of the notions. Without a budget or a question,
        three options are recommended.
    belief, at_most : float, optional
        A question: a belief of ``belief`` may become at most ``at_most``; both in (0, 1).
    adversary : {"shares", "any"}
        Who has this belief: somebody who knows only how common each value of the secret is, or has any prior knowledge.
    accuracy : float, optional
        A question: the 95 % error of each estimated share of the public column is at most this, in (0, 1).
    epsilons : sequence of float
        Budgets to try, in nats.
    notions : sequence of str
        Names among lip, alip (split 65 to 35) and ldp. LDP and ALIP get twice the budget, which LIP implies.
    mechanisms : sequence of str, optional
        By default all that serve the notion and are fast enough. With a confidence, mechanisms that give the same
        design, such as all kinds of merging, are then tried once.
    confidence : float or None
        Confidence with which the population satisfies the notion, whichever design is selected: designs whose bounds do
        not hold jointly divide the error probability. None tries designs for these rows only, and warns.
    seconds : float
        Time limit per mechanism; a mechanism that exceeds it is stopped and reported.
    told : callable, optional
        Progress callback, called with a line of text before each mechanism.
    **reading
        See :class:`lifttables.encoding.reading.Reading`.

    Returns
    -------
    Choice

    Raises
    ------
    InvalidParameter
        If a budget or a question is invalid, or a notion or mechanism is unknown.
    """
    how = Reading.from_words({"secret": secret, "public": public, "rare": "pool", **reading})
    question = Question.asked(belief, at_most, adversary, accuracy, eps)
    check_scalar("seconds", seconds, 0.1)
    curve = {check_scalar(f"epsilons[{at}]", budget, finite=True) for at, budget in enumerate(epsilons)}
    _check_names(notions, mechanisms or ())
    how.check_population(confidence)
    choices = how.choices(open_table(source, how.text_format), confidence)
    if confidence is not None:
        choices = with_noise(choices, None, secret_key())
    counts = choices[0]
    # by option; a budget and accuracy have no limit
    limits: dict[str, float | None] = {"": at_most} if at_most or accuracy or eps is not None else dict(BELIEF_LIMITS)
    targets = {
        label: {} if accuracy else {name: _target(question, name, eps, limit) for name in notions}
        for label, limit in limits.items()
    }
    wanted = [
        (name, mechanism, budget)
        for name in notions
        for mechanism in fitting(name, mechanisms, counts, confidence)
        for budget in sorted(curve | {budgets[name] for budgets in targets.values() if name in budgets})
    ]
    with Trying() as trying:
        each = confidence_of_each([key[:2] for key in wanted], counts, confidence)
        trials = _Trials(trying, choices, each, confidence, seconds, question, told)
        for at, key in enumerate(wanted, 1):
            trials.attempt(key, f"{at} of {len(wanted)}")
        fits = {
            label: trials.fit(budgets) if accuracy is None else trials.accurate(accuracy)
            for label, budgets in targets.items()
        }
    warn_of_rows_alone(confidence)
    return Choice(
        secret=JOIN.join(counts.secret.names),
        public=JOIN.join(counts.public.names),
        rows=int(counts.table.sum()),
        symbols=len(counts.public.labels),
        secrets=len(counts.secret.labels),
        tried=tuple(trials.tried.values()),
        belief=question.belief,
        answers=tuple(trials.answer(label, limit, fits[label], source, how) for label, limit in limits.items()),
    )


def _target(question: Question, notion: str, eps: float | None, limit: float | None) -> float:
    """Return the given budget, or the largest that answers a question."""
    return (eps or 0.0) if limit is None else question.largest_budget(NOTIONS_AT[notion], limit)


def _check_names(notions: Sequence[str], mechanisms: Sequence[str]) -> None:
    for name in notions:
        if name not in NOTIONS_AT:
            raise InvalidParameter(f"no notion {name!r} to compare: there are {', '.join(NOTIONS_AT)}")
    for name in mechanisms:
        registry.mechanisms[name]


def fitting(notion: str, mechanisms: Sequence[str] | None, counts: Counts, confidence: float | None) -> list[str]:
    """Return the mechanisms to try: suitable, fast enough, and without duplicates."""
    unit_notion = NOTIONS_AT[notion](1.0)
    n = len(counts.public.labels)
    if mechanisms is not None:
        return [name for name in mechanisms if registry.mechanisms[name].serves(unit_notion)]
    serving = [name for name, mechanism in registry.mechanisms.items() if mechanism.serves(unit_notion)]
    # all kinds of merging give one design for the population, and so do all responses
    routes = {name: name if confidence is None else route(registry.mechanisms[name], unit_notion) for name in serving}
    first = {kind: "subset-merging" if kind == "merging" else name for name, kind in reversed(routes.items())}
    most = {name: registry.mechanisms[name].most_symbols if routes[name] == name else SLOW_SYMBOLS for name in serving}
    return [name for name in serving if name in first.values() and ((limit := most[name]) is None or n <= limit)]


def confidence_of_each(tried: Sequence[tuple[str, str]], counts: Counts, confidence: float | None) -> float | None:
    """Return each design's confidence such that the selected one has ``confidence``.

    Bounds hold jointly for one kind of ratio and one set of rows. LDP bounds other ratios than LIP and ALIP. With many
    symbols, merging and response designs have different blocks of symbols, so their bounds do not hold jointly.
    """
    if confidence is None:
        return None
    many = len(counts.public.labels) > MAX_LATTICE_SYMBOLS
    kinds = {
        (name == "ldp", route(registry.mechanisms[mechanism], NOTIONS_AT[name](1.0)) if many else "")
        for name, mechanism in tried
    }
    return confidence if len(kinds) < 2 else math.ceil(1e6 * (1 - (1 - confidence) / len(kinds))) / 1e6


def attempt(
    choices: Sequence[Counts],
    name: str,
    mechanism: str,
    eps: float,
    confidence: float | None,
    question: Question = Question(),  # noqa: B008 - it cannot be changed
) -> Tried:
    """Return the result of one mechanism under one notion; runs in a separate process."""
    notion = NOTIONS_AT[name](eps)
    started = time.perf_counter()
    counts, design = best_design(choices, notion, mechanism, confidence)
    seconds = time.perf_counter() - started
    joint = counts.joint
    estimable = design.grid is not None and counts.public.names == choices[0].public.names
    return Tried(
        notion=str(notion),
        mechanism=mechanism,
        eps=eps,
        nmi=float(evaluate(joint, design.channel).mutual_information / max(entropy(choices[0].joint.p_x), SAME_TOL)),
        belief=question.bound(notion),
        error=expected_error(design.channel.kernel, joint.p_x, design.rows) if estimable else np.inf,
        rows_price=price(card_of(design), joint.p_x),
        seconds=seconds,
        outputs=design.channel.n_outputs,
        kept=tuple(statement(guarantee) for guarantee in design.kept),
        not_covered=card_of(design).not_covered,
        problem="",
    )


@dataclass(eq=False)
class _Trials:
    """Designs of one table, each tried once, by notion name, mechanism and budget."""

    trying: Trying
    choices: Sequence[Counts]
    confidence: float | None  # of each design; ``overall`` is that of the chosen one
    overall: float | None
    seconds: float
    question: Question
    told: Callable[[str], None] | None
    tried: dict[tuple[str, str, float], Tried] = field(default_factory=dict)
    slow: set[tuple[str, str]] = field(default_factory=set)

    def attempt(self, key: tuple[str, str, float], progress: str) -> Tried:
        """Return the result of a mechanism at a budget, which is computed once."""
        if key not in self.tried:
            name, mechanism, budget = key
            if self.told is not None:
                self.told(f"{progress}: {mechanism} at {NOTIONS_AT[name](budget)}")
            self.tried[key] = self._once(name, mechanism, budget)
            if self.tried[key].problem.startswith("longer"):
                self.slow.add((name, mechanism))
        return self.tried[key]

    def _once(self, name: str, mechanism: str, eps: float) -> Tried:
        asked = self.choices, name, mechanism, eps, self.confidence, self.question
        problem = f"longer than {self.seconds:g} s at another budget"
        if (name, mechanism) not in self.slow:
            try:
                trial = self.trying.call(attempt, asked, self.seconds)
            except TimeoutError:
                problem = f"longer than {self.seconds:g} s"
            except LiftError as error:
                problem = str(error)
            else:
                assert isinstance(trial, Tried)
                return trial
        notion = NOTIONS_AT[name](eps)
        belief = self.question.bound(notion)
        return Tried(str(notion), mechanism, eps, np.nan, belief, np.inf, np.inf, np.nan, 0, (), (), problem)

    def _name(self, trial: Tried) -> str:
        return next(name for (name, _, _), other in self.tried.items() if other is trial)

    def fit(self, budgets: Mapping[str, float]) -> tuple[Tried, ...]:
        """Return the results at the notions' budgets, in order of decreasing utility."""
        trials = [
            trial for (name, _, budget), trial in self.tried.items() if budget == budgets[name] and not trial.problem
        ]
        return tuple(sorted(trials, key=lambda trial: -trial.nmi))

    def accurate(self, accuracy: float) -> tuple[Tried, ...]:
        """Return the smallest-budget accurate release of each notion and mechanism."""
        trials = []
        for name, mechanism in dict.fromkeys(key[:2] for key in list(self.tried)):
            curve = sorted({budget for *of, budget in self.tried if of == [name, mechanism]} | {MAX_BUDGET})
            below = 0.0
            for budget in curve:
                best = self.attempt((name, mechanism, budget), "larger budget")
                if best.error <= accuracy:
                    break
                below = budget
            else:
                continue
            low, high = int(below * ACCURACY_STEPS_PER_NAT), math.ceil(best.eps * ACCURACY_STEPS_PER_NAT)
            while high - low > 1:
                middle = (low + high) // 2
                here = self.attempt((name, mechanism, middle / ACCURACY_STEPS_PER_NAT), "smaller budget")
                low, high = (low, middle) if here.error <= accuracy else (middle, high)
                best = here if here.error <= accuracy else best
            trials.append(best)
        return tuple(sorted(trials, key=_by_privacy))

    def answer(self, label: str, limit: float | None, fit: tuple[Tried, ...], source: Any, how: Reading) -> Answer:
        """Return the recommendation for a requirement, with its meaning and its command."""
        best, reason = self.recommended(fit, limit)
        secret = JOIN.join(self.choices[0].secret.names)
        if best is not None and self.confidence != self.overall:
            reason += (
                f". Each design that was tried has a confidence of {self.confidence:g}, so that the promise of the one "
                f"that is recommended holds with a confidence of {self.overall:g}"
            )
        answer = Answer(label, self.question.text(secret, limit), fit, best, reason)
        if best is None:
            return answer
        notion = NOTIONS_AT[self._name(best)](best.eps)  # a notion's text drops the last digits of its budget
        noisy = self.choices[0].noisy
        left_out = (DROPPED_ROWS_NOTE,) if how.missing == "drop" else ()
        shares = own_shares(self.choices[0].table.sum(axis=1))
        return replace(
            answer,
            words=in_words(
                notion,
                secret,
                shares if limit is None else sorted({*shares, self.question.belief}),
                insider=math.inf if noisy is None else noisy.insider,
            ),
            not_covered=(*best.not_covered, *left_out),
            command=sanitise_command(source, how, self.confidence, notion, best.mechanism),
        )

    def recommended(self, fit: Sequence[Tried], limit: float | None) -> tuple[Tried | None, str]:
        """Return the best result that meets a requirement, or None, and the reason."""
        if (accuracy := self.question.accuracy) is not None:
            return _most_private(fit, self.tried.values(), accuracy, self.choices[0].table.sum(axis=0))
        if limit is None:
            first = next((name for (name, _, _), trial in self.tried.items() if trial in fit), "")
            return _recommended([trial for trial in fit if self._name(trial) == first])
        best, reason = _recommended(fit)
        if best is None or best.nmi <= UTILITY_TOL:
            return None, _what_is_possible(self.tried.values(), self.question, limit)
        most: dict[str, Tried] = {}
        for trial in fit:
            most.setdefault(self._name(trial), trial)
        others = [f"{trial.notion} {100 * trial.nmi:.1f} %" for name, trial in most.items() if name != self._name(best)]
        if others:
            reason += f". Within the same limit, the most that other notions retain is: {', '.join(others)}"
        return best, reason


def _by_privacy(trial: Tried) -> tuple[float, float]:
    return round(trial.belief, 9), -trial.nmi


def _most_private(
    fit: Sequence[Tried], tried: Iterable[Tried], accuracy: float, totals: Vector
) -> tuple[Tried | None, str]:
    """Return the most private accurate release, or None, and the reason."""
    if fit:
        best = fit[0]
        return best, (
            f"of the releases that are accurate enough, {best.mechanism} under {best.notion} lets a belief grow least. "
            f"The 95 % error of an estimated share is expected to be at most {points(best.error)}. The "
            f"release retains {100 * best.nmi:.1f} % of the information"
        )
    rows = int(totals.sum())
    sampling_error = expected_error(np.eye(len(totals)), totals / rows, rows)
    if sampling_error > accuracy:
        return None, (
            f"no release of these {rows:,} rows is so accurate: even the shares in the table itself have an error of "
            f"{points(sampling_error)}. Ask for less accuracy, or gather more rows"
        )
    most = min((trial for trial in tried if not trial.problem), key=lambda trial: trial.error, default=None)
    if most is None or not np.isfinite(most.error):
        return None, "no release that was tried lets every share be estimated: coarsen the column or gather more rows"
    return None, (
        f"no release that was tried is so accurate. Possible are {points(most.error)}, by {most.mechanism} under "
        f"{most.notion}"
    )


def _what_is_possible(tried: Iterable[Tried], question: Question, limit: float) -> str:
    """Return why nothing meets a limit on a belief, and the smallest limit met."""
    most_private = min((trial for trial in tried if trial.nmi > UTILITY_TOL), key=_by_privacy, default=None)
    why = (
        f"no release that was tried retains more than {percent(UTILITY_TOL)} of the information within {percent(limit)}"
    )
    if most_private is None:
        return f"{why}, nor at any other budget: coarsen the column or the secret, or gather more rows"
    return (
        f"{why}. If a belief of {percent(question.belief)} may become {percent(most_private.belief, up=True)}, "
        f"{most_private.mechanism} under {most_private.notion} retains {100 * most_private.nmi:.1f} %"
    )


def _recommended(fit: Sequence[Tried]) -> tuple[Tried | None, str]:
    """Return the best mechanism, or a simpler one nearly as good, and the reason."""
    if not fit:
        return None, "nothing that was tried gives a channel at this budget: raise the budget, or coarsen the column"
    open_ones = [trial for trial in fit if np.isfinite(trial.rows_price)]
    best = max(open_ones or fit, key=lambda trial: trial.nmi)
    if best.nmi <= UTILITY_TOL:
        return best, (
            f"nothing retains more than {100 * best.nmi:.1f} % of the information at this budget: raise it, coarsen "
            "the column or the secret, or gather more rows"
        )
    near = [trial for trial in open_ones or fit if trial.nmi >= best.nmi - UTILITY_TOL]
    # prefer merging, because its values are readable labels
    simple = min(near, key=lambda trial: (trial.mechanism != "subset-merging", -trial.nmi))
    if simple.mechanism == "subset-merging":
        why = "its values are groups of labels that people read, and nothing is drawn at random"
    else:
        why = "of the mechanisms whose kernel can be published, so that analysts can estimate from it, it retains most"
    closed = max(fit, key=lambda trial: trial.nmi)
    if closed.nmi > best.nmi + UTILITY_TOL:
        why += f"; {closed.mechanism} retains {100 * closed.nmi:.1f} %, but nobody could estimate from what it releases"
    beside = "" if simple is best else f" (the best, {best.mechanism}, retains {100 * best.nmi:.1f} %)"
    return simple, f"{simple.mechanism} retains {100 * simple.nmi:.1f} % of the information{beside}; {why}"
