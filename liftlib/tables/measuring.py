"""The overall numbers of an audit, and how far they move when the table is drawn again."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.evaluation import Evaluation
from liftlib.measures.lifts import lift
from liftlib.notions import Notion
from liftlib.numerics import Matrix, Vector

MEASURES = (
    "min_lift_leakage",
    "max_lift_leakage",
    "ldp",
    "secret_information",
    "total_variation",
    "chi2_divergence",
    "maximal_leakage",
)
"""Overall measures, in nats but for the total variation distance and the chi-square divergence."""

MEANING = {
    "min_lift_leakage": "min-lift leakage, the smallest eps_l of ALIP",
    "max_lift_leakage": "max-lift leakage, the smallest eps_u of ALIP",
    "ldp": "LDP with respect to the secret, the smallest eps",
    "secret_information": "mutual information I(S;Y)",
    "total_variation": "total variation distance T(S;Y)",
    "chi2_divergence": "chi-square divergence",
    "maximal_leakage": "maximal leakage, Sibson's information of order infinity",
}


def overall(release: Joint) -> dict[str, float]:
    """Return each of ``MEASURES`` of what is published."""
    # only the release counts here: what of X is left takes a table of X by Y
    result = Evaluation(release, release, entropy=0.0, mutual_information=0.0)
    found = {name: float(getattr(result, name)) for name in MEASURES if name != "maximal_leakage"}
    return {**found, "maximal_leakage": result.sibson(np.inf)}


def keeps(notion: Notion, release: Joint) -> bool:
    """Return whether every symbol of a release keeps a notion that single symbols decide."""
    return bool(notion.kept_columns(lift(release), release.p_s).all())


def bootstrap(
    table: Matrix, notion: Notion | None, channel: Channel | None, resamples: int, rng: np.random.Generator
) -> dict[str, Vector]:
    """Return the measures of tables drawn like this one; a symbol that is not drawn has no output then."""
    found: dict[str, list[float]] = {name: [] for name in (*MEASURES, "kept")}
    share = (table / table.sum()).ravel()
    for _ in range(resamples):
        counts = rng.multinomial(int(table.sum()), share).reshape(table.shape)
        secrets, symbols = counts.sum(axis=1) > 0, counts.sum(axis=0) > 0
        release = Joint.from_counts(counts[secrets][:, symbols])
        if channel is not None:
            kernel = channel.kernel[secrets][:, symbols] if channel.sees_secret else channel.kernel[symbols]
            release = Channel(kernel).release(release)
        for name, value in overall(release).items():
            found[name].append(value)
        if notion is not None and notion.columnwise:
            found["kept"].append(float(keeps(notion, release)))
    return {name: np.asarray(values, dtype=np.float64) for name, values in found.items()}
