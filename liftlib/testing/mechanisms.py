"""Checks of a mechanism on small joint distributions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter, UnsupportedNotion, shown
from liftlib.joint import Joint
from liftlib.notions import (
    ALIP,
    LDP,
    LIP,
    SRLIP,
    AlphaLift,
    Chi2Lift,
    L1Lift,
    Notion,
    PerfectPrivacy,
)
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
    mechanism: str | Callable[..., Channel],
    notions: Notion | Iterable[Notion] | Mapping[str, Notion] | None = None,
) -> Report:
    """Return a report on a mechanism's properties, on small joint distributions.

    Parameters
    ----------
    mechanism : str or callable
        A name in the registry or in a paper, ``"module:function"``, or a function of a
        joint distribution and a notion.
    notions : Notion, iterable of Notion, or mapping of str to Notion, optional
        Notions to check, in a mapping by the name in the report; by default one of each
        kind.

    Returns
    -------
    Report
        For a notion that it serves, the mechanism must return a channel without
        :func:`channel_faults`; otherwise it must raise ``UnsupportedNotion``. Two calls
        must return the same channel.

    Raises
    ------
    InvalidParameter
        If there is no such mechanism, or ``notions`` are not notions.

    Examples
    --------
    >>> report = check_mechanism("watchdog", {"LIP": LIP(0.5)})
    >>> print(report)
    watchdog
      under LIP         passed  3 joint distributions
      under attributes  no      needs a notion that each output's lifts decide
      repeats itself    passed  1 notion
    no property failed
    """
    entry = mechanisms[mechanism]
    wanted = NOTIONS if notions is None else _by_title(notions)
    checks: list[tuple[str, Callable[[], str | None]]] = [
        (f"under {title}", partial(_under, entry, notion, _joints_for(entry)))
        for title, notion in wanted.items()
    ]
    rng = np.random.default_rng(4)
    pairs = Joint(rng.dirichlet(np.ones(12)).reshape(3, 4))
    checks.append(
        ("under attributes", partial(_under, entry, SRLIP(0.5, (2, 2)), [pairs]))
    )
    checks.append(("repeats itself", partial(_repeats, entry, wanted.values())))
    return run_checks(entry.name, checks)


def _by_title(
    notions: Notion | Iterable[Notion] | Mapping[str, Notion],
) -> dict[str, Notion]:
    """Return notions by their name in the report."""
    if isinstance(notions, Notion):
        notions = [notions]
    if not isinstance(notions, Iterable):
        raise InvalidParameter(
            f"notions is {shown(notions)}: give notions, such as [liftlib.LIP(0.5)]"
        )
    named = (
        notions
        if isinstance(notions, Mapping)
        else {str(notion): notion for notion in notions}
    )
    for title, notion in named.items():
        if not isinstance(notion, Notion):
            raise InvalidParameter(
                f"the notion {title!r} is {shown(notion)}: give one such as "
                "liftlib.LIP(0.5)"
            )
    if not named:
        raise InvalidParameter(
            "notions is empty: give at least one, or leave it out to check one of each "
            "kind"
        )
    return dict(named)


def _made(entry: Mechanism, joint: Joint, notion: Notion) -> Any:
    if not entry.serves(notion):
        if entry.family is None:
            _refuses(entry, joint, notion)
        raise NotSupported(f"needs {entry.words}")
    # a function of your own is called as it is, so that what it returns is judged, not
    # refused
    make = entry if entry in mechanisms.registered else entry.function
    try:
        return make(joint, notion)
    except UnsupportedNotion as error:
        if entry in mechanisms.registered:
            raise Fault(
                f"the registry says it needs {entry.words}, and it refuses one: {error}"
            ) from error
        raise NotSupported(str(error)) from error


def _refuses(entry: Mechanism, joint: Joint, notion: Notion) -> None:
    try:
        entry.function(joint, notion)
    except UnsupportedNotion:
        return
    raise Fault(
        "the registry says it does not serve the notion, but it returns a channel"
    )


def _joints_for(entry: Mechanism) -> list[Joint]:
    """Return the example joint distributions that are not too large."""
    most = entry.most_symbols
    return [one for one in example_joints() if most is None or one.n_public <= most]


def _under(entry: Mechanism, notion: Notion, joints: list[Joint]) -> str:
    for joint in joints:
        faults = channel_faults(joint, _made(entry, joint, notion), notion)
        if faults:
            raise Fault(
                f"{'; '.join(faults)} ({joint.n_secret} secrets, {joint.n_public} "
                "symbols)"
            )
    return f"{len(joints)} joint distribution{'s' * (len(joints) > 1)}"


def _repeats(entry: Mechanism, notions: Iterable[Notion]) -> str:
    joint = _joints_for(entry)[0]
    served = 0
    for notion in notions:
        try:
            first, second = (_made(entry, joint, notion) for _ in range(2))
        except NotSupported:
            continue
        served += 1
        if not np.array_equal(first.kernel, second.kernel):
            raise Fault(
                "two calls with the same arguments return different channels, under "
                f"{notion}"
            )
    if not served:
        raise NotSupported("serves none of the notions")
    return f"{served} notion{'s' * (served > 1)}"
