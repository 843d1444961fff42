"""A public benchmark set: optimal mechanisms with proofs, to be beaten by others.

``python -m benchmarks.public make`` computes benchmarks/set/index.csv, README.md and
proofs, or, followed by names, those instances alone. ``python -m benchmarks.public
validate submission.json`` checks a submission, in the format of the stored proofs, in
exact arithmetic, and compares it with what is stored.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import math
import sys
import warnings
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

import liftlib as ll
from liftlib import exact
from liftlib.datasets import adult, dirichlet_joint, hundred_people, uniform_joint
from liftlib.errors import LiftWarning
from liftlib.notions.catalogue import content_of
from liftlib.proofs import rounded_up, to_problem
from mixproof.proof import Proof

FOLDER = Path(__file__).parent / "set"

MAX_PROOF_BYTES = 200_000
"""Bytes of a compressed proof that is stored; ``make`` recomputes the others."""

PROGRAMMES = 20_000
"""Linear programs of a search, which do not depend on the machine's speed."""

DIGITS = 8
"""Significant digits of the weights of a stored proof."""

ROUNDING_TOL = 1e-9
"""Nats by which values may differ by rounding."""


def low_rank(n_secret: int, n_public: int, rank: int) -> ll.Joint:
    rng = np.random.default_rng(0)
    parts = rng.dirichlet(np.ones(n_secret), rank).T @ rng.dirichlet(
        np.ones(n_public), rank
    )
    return ll.Joint.from_counts(parts)


JOINTS: dict[str, tuple[str, Callable[[], ll.Joint]]] = {
    "people-2x3": ("hundred people", hundred_people)
}
_ADULT = (
    "marital-status",
    "occupation",
    "race",
    "education",
    "native-country",
    "workclass",
)
for _secret, _public in itertools.product(("income", "relationship", "sex"), _ADULT):
    JOINTS[f"adult-{_secret}-{_public}"] = (
        "Adult (UCI)",
        lambda s=_secret, x=_public: adult(s, x),
    )
for _s, _x in (
    (2, 10), (2, 40), (3, 8), (3, 40), (3, 100), (4, 25), (5, 12), (5, 17), (5, 50), (6, 12),  # noqa: E501
    (8, 30), (10, 6), (10, 20), (10, 50), (12, 10), (15, 200), (20, 15),
):  # fmt: skip
    JOINTS[f"uniform-{_s}x{_x}"] = (
        "uniform_joint, seed 0",
        lambda s=_s, x=_x: uniform_joint(s, x, 0),
    )
for _s, _x in (
    (2, 10),
    (2, 40),
    (3, 8),
    (3, 40),
    (4, 8),
    (5, 17),
    (6, 12),
    (8, 8),
    (10, 20),
    (15, 6),
):
    JOINTS[f"skewed-{_s}x{_x}"] = (
        "dirichlet_joint, 0.3, seed 0",
        lambda s=_s, x=_x: dirichlet_joint(s, x, 0.3, 0),
    )
for _r, _s, _x in (
    (2, 4, 12),
    (2, 6, 20),
    (2, 8, 30),
    (2, 10, 50),
    (3, 6, 20),
    (3, 8, 12),
):
    JOINTS[f"rank-{_r}-{_s}x{_x}"] = (
        f"benchmarks.public.low_rank, rank {_r}",
        lambda s=_s, x=_x, r=_r: low_rank(s, x, r),
    )
for _n in (3, 5, 8):
    JOINTS[f"equal-{_n}x{_n}"] = (
        "S = X, uniform",
        lambda n=_n: ll.Joint(np.eye(n) / n),
    )
JOINTS["equal-skewed-4x4"] = (
    "S = X, skewed",
    lambda: ll.Joint(np.diag([0.05, 0.15, 0.3, 0.5])),
)
JOINTS["groups-3x9"] = (
    "X uniform, S = X // 3",
    lambda: ll.Joint(np.kron(np.eye(3), np.ones(3)) / 9),
)
JOINTS["noisy-5x5"] = (
    "S = X with probability 0.6, else uniform",
    lambda: ll.Joint((0.6 * np.eye(5) + 0.08) / 5),
)

NOTIONS: dict[str, ll.Notion] = {
    "lip-0.5": ll.LIP(0.5),
    "lip-1": ll.LIP(1.0),
    "ldp-1": ll.LDP(1.0),
}

MORE_NOTIONS: dict[str, ll.Notion] = {
    "alip-0.3-0.7": ll.ALIP(0.3, 0.7),
    "l1-0.2": ll.L1Lift(np.inf, 0.2),
}
"""Additional notions of the joint distributions in ``WITH_MORE``."""

WITH_MORE = (
    "people-2x3", "adult-relationship-race", "uniform-3x8", "uniform-5x17", "uniform-10x20", "skewed-5x17",  # noqa: E501
    "rank-2-6x20", "equal-5x5",
)  # fmt: skip

LARGE = (20, 500), (30, 1000)
"""Secrets and symbols of joint distributions with one notion, LIP(1)."""


def instances() -> Iterator[tuple[str, str, ll.Joint, ll.Notion]]:
    """Yield the name, the origin, the joint distribution and the notion of each
    instance.
    """
    for (name, (origin, joint)), (short, notion) in itertools.product(
        JOINTS.items(), NOTIONS.items()
    ):
        yield f"{name}-{short}", origin, joint(), notion
    for name, (short, notion) in itertools.product(WITH_MORE, MORE_NOTIONS.items()):
        origin, joint = JOINTS[name]
        yield f"{name}-{short}", origin, joint(), notion
    for n_secret, n_public in LARGE:
        large = uniform_joint(n_secret, n_public, 0)
        yield (
            f"uniform-{n_secret}x{n_public}-lip-1",
            "uniform_joint, seed 0",
            large,
            NOTIONS["lip-1"],
        )


def shortened(
    joint: ll.Joint, notion: ll.Notion, channel: ll.Channel, proof: Proof
) -> Proof:
    """Return a proof with weights of ``DIGITS`` digits and the bound that they prove:
    any weights prove one.
    """
    weights = [
        float(f"{weight:.{DIGITS}g}") for weight in proof.weights.ravel().tolist()
    ]
    whole = ll.measures.entropy(joint.p_x) + 1.0  # a claim that needs no proof
    short = replace(
        proof, weights=np.reshape(weights, proof.weights.shape), upper=whole, digest=""
    )
    found = exact.check(json.loads(to_problem(joint, notion, channel, short)))
    return replace(short, upper=rounded_up(found), digest="")


def make(only: Collection[str] = ()) -> None:
    """Compute all instances, or those named, and write those proofs that are small."""
    (FOLDER / "proofs").mkdir(parents=True, exist_ok=True)
    rows = []
    stored_rows = (
        pd.read_csv(FOLDER / "index.csv", keep_default_na=False).to_dict("records")
        if only
        else []
    )
    stored = {row["instance"]: row for row in stored_rows}
    for name, origin, joint, notion in instances():
        if only and name not in only:
            rows += [stored[name]] if name in stored else []
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LiftWarning)
            channel = ll.mechanisms.optimal(
                joint, notion, method="tree", gap=1e-3, work=PROGRAMMES
            )
        checked = ll.check_proof(joint, notion, channel)
        row = {
            "instance": name,
            "secrets": joint.n_secret,
            "symbols": joint.n_public,
            "value": checked.value,
            "bound": checked.upper,
            "checked": "exact",
            "proof": "",
            "origin": origin,
        }
        text = to_problem(
            joint,
            notion,
            channel,
            shortened(joint, notion, channel, channel.certificate.proof),
        )
        packed = gzip.compress(text.encode(), mtime=0)
        if len(packed) <= MAX_PROOF_BYTES:
            proven = exact.decimal(exact.check(json.loads(text)).upper)  # rounded up
            row |= {"bound": float(proven), "proof": f"{name}.json.gz"}
            (FOLDER / "proofs" / f"{name}.json.gz").write_bytes(packed)
        rows.append(row)
        print(
            f"{name}: {row['value']:.9f} to {row['bound']:.9f}, {row['checked']},"
            f" {len(packed)} B",
            flush=True,
        )
    table = pd.DataFrame(rows)
    table.to_csv(
        FOLDER / "index.csv", index=False, float_format="%.10f", lineterminator="\n"
    )
    write_page(table)


def write_page(table: pd.DataFrame) -> None:
    """Write the page that displays the set."""
    shown = table.drop(columns=["proof"])
    cells = [
        [f"{cell:.7f}" if isinstance(cell, float) else str(cell) for cell in row]
        for row in shown.to_numpy(object)
    ]
    lines = [
        "| " + " | ".join(row) + " |"
        for row in [list(shown), ["---"] * shown.shape[1], *cells]
    ]
    widest = table.loc[(table["bound"] / table["value"]).idxmax()]
    says = (
        f"{len(table)} instances of {len(JOINTS) + len(LARGE)} joint distributions. The"
        f" exact checker accepts the bounds of {(table['checked'] == 'exact').sum()}."
        f" The widest gap is {widest['bound'] / widest['value'] - 1:.1%}, that of"
        f" `{widest['instance']}`."
    )
    head, _, _ = (
        (FOLDER / "README.md").read_text(encoding="utf-8").partition("\n## Instances\n")
    )
    (FOLDER / "README.md").write_text(
        "\n".join([head, "## Instances", "", says, "", *lines, ""]), encoding="utf-8"
    )


def validate(path: Path) -> tuple[str, float, float]:
    """Return the instance of a submission, I(X; Y) of its channel and the bound that
    its proof proves, in nats.

    Raises
    ------
    exact.NotProven
        If the exact checker rejects it, or it belongs to no instance.
    """
    raw = path.read_bytes()
    problem = exact.parsed(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    result = exact.check(problem)
    for name, _, joint, notion in instances():
        if problem["joint"] == joint.p.tolist() and problem["notion"] == content_of(
            notion
        ):
            value = ll.evaluate(
                joint, ll.Channel(problem["channel"])
            ).mutual_information
            return name, value, math.nextafter(float(result.upper), math.inf)
    raise exact.NotProven("its joint distribution and notion belong to no instance")


def main() -> int:
    """Make the set, or check a submission."""
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.public", description=__doc__
    )
    commands = options.add_subparsers(dest="command", required=True)
    commands.add_parser("make").add_argument("instances", nargs="*", help="these alone")
    commands.add_parser("validate").add_argument("submission", type=Path)
    args = options.parse_args()
    if args.command == "make":
        make(args.instances)
        return 0
    try:
        name, value, bound = validate(args.submission)
    except (exact.NotProven, OSError, ValueError) as error:
        print(f"rejected: {error}")
        return 1
    best = pd.read_csv(FOLDER / "index.csv").set_index("instance").loc[name]
    better = [
        what
        for what, gain in (
            ("value", value - best["value"]),
            ("bound", best["bound"] - bound),
        )
        if gain > ROUNDING_TOL
    ]
    print(
        f"{name}: I(X;Y) = {value:.9f}, at most {bound:.9f} nats; better than stored:"
        f" {', '.join(better) or 'nothing'}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
