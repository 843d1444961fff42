"""Checks that every channel of a mechanism must pass, for any notion."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information
from liftlib.notions import Notion
from liftlib.registry import no_channel

# rounding, in nats and in probability, of sums of at most some hundred floats
ROUNDING_TOL = 1e-9


def channel_faults(
    joint: Joint, channel: object, notion: Notion | None = None
) -> list[str]:
    """Return the faults of a mechanism's channel; empty if there are none.

    Parameters
    ----------
    joint : Joint
        P_SX.
    channel : object
        The mechanism's return value.
    notion : Notion, optional
        The notion that the channel must satisfy.

    Returns
    -------
    list of str
        Faults of the kernel's shape and rows, of the marginals P_S and P_X, of the
        notion, and of the certificate's utility and bound.

    Examples
    --------
    >>> from liftlib import ALIP
    >>> joint = Joint([[0.3, 0.2], [0.1, 0.4]])
    >>> channel_faults(joint, Channel.identity(2), ALIP(0.1, 0.1))
    ['ALIP(eps_l=0.1, eps_u=0.1) is exceeded by 0.593 nats']
    """
    if not isinstance(channel, Channel):
        return [no_channel(channel)]
    shape = (
        (joint.n_secret, joint.n_public) if channel.sees_secret else (joint.n_public,)
    )
    if channel.kernel.shape[:-1] != shape:
        expected = (*shape, "Y")
        found = channel.kernel.shape
        return [f"the kernel has shape {found}, and {expected} is expected"]
    faults = []
    if (
        not np.allclose(channel.kernel.sum(axis=-1), 1, rtol=0, atol=ROUNDING_TOL)
        or (channel.kernel < 0).any()
    ):
        faults.append("a row of the kernel is no distribution")
    faults += _marginals(joint, channel)
    if notion is not None and not notion.is_satisfied(joint, channel):
        faults.append(
            f"{notion} is exceeded by {notion.violation(joint, channel):.3g} nats"
        )
    if channel.certificate is not None:
        utility = mutual_information(channel.joint_xy(joint))
        if not abs(channel.certificate.value - utility) <= ROUNDING_TOL:
            faults.append(
                f"the certificate's value is {channel.certificate.value:.9g}, and I(X; "
                f"Y) is {utility:.9g}"
            )
        if not channel.certificate.upper >= channel.certificate.value:
            faults.append("the certificate's upper bound is below its value")
    return faults


def _marginals(joint: Joint, channel: Channel) -> list[str]:
    """Return the faults of the marginals P_S and P_X."""
    release = channel.release(joint)
    p_x = channel.joint_xy(joint).sum(axis=1)
    faults = []
    if not np.allclose(release.p_s, joint.p_s, rtol=1e-9, atol=1e-12):
        faults.append("P_S is not left as it is")
    if not np.allclose(p_x, joint.p_x, rtol=1e-9, atol=1e-12):
        faults.append("P_X is not left as it is")
    return faults
