"""Checks of a mechanism on small joint distributions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import UnsupportedNotion
from liftlib.joint import Joint
from liftlib.notions import ALIP, LDP, LIP, SRLIP, AlphaLift, Chi2Lift, L1Lift, Notion, PerfectPrivacy
from liftlib.registry import Mechanism, mechanisms
from liftlib.testing.channels import channel_faults
from liftlib.testing.notions import example_joints
from liftlib.testing.reports import Fault, NotSupported, Report, run_checks

# notions of each kind, for every joint distribution
NOTIONS: dict[str, Notion] = {
    "ALIP": ALIP(0.7, 0.4),
    "a bound above only": ALIP(np.inf, 0.4),
    "a bound below only": ALIP(0.7, np.inf),
    "LIP, tight": LIP(0.1),
    "LIP, loose": LIP(3.0),
    "LDP": LDP(0.8),
    "L1": L1Lift(0.5, 0.3),
    "chi-square": Chi2Lift(np.inf, 0.3),
    "alpha-lift": AlphaLift(2, 0.5, 0.3),
    "perfect privacy": PerfectPrivacy(),
}


def check_mechanism(
    mechanism: str | Mechanism | Callable[..., Channel], notions: Mapping[str, Notion] | None = None
) -> Report:
    """Return a report on a mechanism's properties, on small joint distributions.

    Parameters
    ----------
    mechanism : str, Mechanism or callable
        A name in the registry, ``"module:function"``, an entry, or a function of a joint distribution and a notion.
    notions : mapping of str to Notion, optional
        Notions to check, by the name in the report; by default one of each kind.

    Returns
    -------
    Report
        For a notion that it serves, the mechanism must return a channel without :func:`channel_faults`; otherwise it
        must raise ``UnsupportedNotion``. Two calls must return the same channel.

    Examples
    --------
    >>> report = check_mechanism("watchdog", {"LIP": LIP(0.5)})
    >>> print(report)
    watchdog
      under LIP         passed  3 joint distributions
      under attributes  no      needs a notion that each output's lifts decide
      repeats itself    passed
    no property failed
    """
    entry = mechanisms[mechanism] if isinstance(mechanism, str) else mechanism
    name = entry.name if isinstance(entry, Mechanism) else getattr(entry, "__name__", str(entry))
    wanted = NOTIONS if notions is None else notions
    checks: list[tuple[str, Callable[[], str | None]]] = [
        (f"under {title}", partial(_under, entry, notion, example_joints())) for title, notion in wanted.items()
    ]
    rng = np.random.default_rng(4)
    pairs = Joint(rng.dirichlet(np.ones(12)).reshape(3, 4))
    checks.append(("under attributes", partial(_under, entry, SRLIP(0.5, (2, 2)), [pairs])))
    checks.append(("repeats itself", partial(_repeats, entry, next(iter(wanted.values())))))
    return run_checks(name, checks)


def _made(entry: Callable[..., Any], joint: Joint, notion: Notion) -> Any:
    if isinstance(entry, Mechanism) and not entry.serves(notion):
        if entry.family is None:
            _refuses(entry, joint, notion)
        raise NotSupported(f"needs {entry.words}")
    try:
        return entry(joint, notion)
    except UnsupportedNotion as error:
        if isinstance(entry, Mechanism) and ":" not in entry.name:
            raise Fault(f"the registry says it needs {entry.words}, and it refuses one: {error}") from error
        raise NotSupported(str(error)) from error


def _refuses(entry: Mechanism, joint: Joint, notion: Notion) -> None:
    try:
        entry.function(joint, notion)
    except UnsupportedNotion:
        return
    raise Fault("the registry says it does not serve the notion, but it returns a channel")


def _under(entry: Callable[..., Any], notion: Notion, joints: list[Joint]) -> str:
    most = entry.most_symbols if isinstance(entry, Mechanism) else None
    tried = [joint for joint in joints if most is None or joint.n_public <= most]
    for joint in tried:
        faults = channel_faults(joint, _made(entry, joint, notion), notion)
        if faults:
            raise Fault(f"{'; '.join(faults)} ({joint.n_secret} secrets, {joint.n_public} symbols)")
    return f"{len(tried)} joint distribution{'s' * (len(tried) > 1)}"


def _repeats(entry: Callable[..., Any], notion: Notion) -> None:
    joint = example_joints()[1]
    first, second = (_made(entry, joint, notion) for _ in range(2))
    if not np.array_equal(first.kernel, second.kernel):
        raise Fault("two calls with the same arguments return different channels")
