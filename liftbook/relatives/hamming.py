"""Publish likely symbols and suppress rare ones, under maximal leakage of X."""

from __future__ import annotations

import numpy as np

from liftbook.relatives.overall import MaximalLeakage
from liftlib.channel import Certificate, Channel
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information
from mixproof.checks import checked


@checked
def hamming_response(joint: Joint, notion: MaximalLeakage) -> Channel:
    """Return the release with the least P(Y != X) under bounded maximal leakage.

    Returns
    -------
    Channel
        Its outputs are the published symbols; only P_X is used. Its certificate states P(Y != X); ``upper`` is
        infinite, because another release may have a larger I(X; Y).

    Notes
    -----
    Saeidian2021, according to the abstract: the most likely symbols are published, the least likely suppressed. With
    d(x) = P(Y=x|x), the leakage of X is at least log sum d, because the largest P(y|x) of an output is at least d(y).
    So P(Y=X) is at most the largest mean of d in [0, 1] with sum d <= e^eps: the floor(e^eps) most likely symbols, and
    the rest of e^eps of the next one. Suppressed symbols are replaced by the most likely one, which does not raise the
    largest P(y|x) of any output.

    Examples
    --------
    >>> from liftbook.relatives.overall import MaximalLeakage
    >>> channel = hamming_response(Joint([[0.2, 0.1, 0.3], [0.3, 0.1, 0.0]]), MaximalLeakage(float(np.log(1.5))))
    >>> channel.kernel.round(3).tolist(), channel.outputs
    ([[1.0, 0.0], [1.0, 0.0], [0.5, 0.5]], (0, 2))
    """
    n = joint.n_public
    # most likely first, ties in the order of the alphabet
    order = np.argsort(-joint.p_x, kind="stable")
    p_truth = np.zeros(n)
    budget = float(n) if notion.eps >= np.log(n) else np.exp(notion.eps)
    p_truth[order] = np.clip(budget - np.arange(n), 0.0, 1.0)
    kernel = np.diag(p_truth)
    kernel[:, order[0]] += 1 - p_truth
    used = np.flatnonzero(p_truth > 0)
    channel = Channel(kernel[:, used], [joint.public[x] for x in used])
    wrong = max(0.0, float(1 - joint.p_x @ p_truth))
    value = mutual_information(channel.joint_xy(joint))
    return Channel(
        channel.kernel, channel.outputs, certificate=Certificate(f"P(Y != X) = {wrong:.6g}, the least", value)
    )
