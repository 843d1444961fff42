"""Seeded attacks on a proof."""

import json
import math

NUMBERS = (
    1.7e308,
    -1.7e308,
    1e160,
    1e20,
    1e9,
    -1.0,
    0.0,
    1.0,
    1e-12,
    1e-300,
    -1e-300,
    5e-324,
)
NOT_FINITE = (math.nan, math.inf, -math.inf)
NOT_NUMBERS = (True, None, "1", [], {}, [[1.0]], 10**400)
REAL = ("dual", "caps", "cap_weights", "level", "weights", "points")
TREE = ("parent", "child", "kind", "symbol", "order", "sides")


def entry_of(rng, proof, names):
    """Return an array of the proof that is not empty, and a place in it."""
    values = proof[str(rng.choice([name for name in names if proof[name]]))]
    return values, int(rng.integers(len(values)))


def scaled(rng, proof):
    values, at = entry_of(rng, proof, REAL)
    values[at] *= float(1 + rng.normal() * 10.0 ** rng.integers(-8, 4))


def shifted(rng, proof):
    values, at = entry_of(rng, proof, REAL)
    values[at] += float(rng.normal() * 10.0 ** rng.integers(-8, 4))


def extreme(rng, proof):
    values, at = entry_of(rng, proof, REAL)
    values[at] = NUMBERS[rng.integers(len(NUMBERS))]


def everywhere(rng, proof):
    values, _ = entry_of(rng, proof, REAL)
    values[:] = [NUMBERS[rng.integers(len(NUMBERS))]] * len(values)


def not_finite(rng, proof):
    values, at = entry_of(rng, proof, REAL)
    values[at] = NOT_FINITE[rng.integers(len(NOT_FINITE))]


def wrong_type(rng, proof):
    values, at = entry_of(rng, proof, REAL + TREE)
    values[at] = NOT_NUMBERS[rng.integers(len(NOT_NUMBERS))]


def wrong_length(rng, proof):
    values, at = entry_of(rng, proof, REAL + TREE)
    values.pop(at) if rng.random() < 0.5 else values.insert(at, values[at])


def wrong_shape(rng, proof):
    name = str(rng.choice(list(proof["shapes"])))
    shape = proof["shapes"][name]
    proof["shapes"][name] = [shape[::-1], shape[:1], [*shape, 1], [-1], None, "3", [0]][
        rng.integers(7)
    ]


def whole_number(rng, proof):
    values, at = entry_of(rng, proof, TREE)
    values[at] += int(rng.choice([-2, -1, 1, 2, 10**6, 2**62]))


def cycle(rng, proof):
    """A box becomes the child of itself, of a later one, or of any other."""
    at = int(rng.integers(len(proof["parent"])))
    proof["parent"][at] = int(rng.integers(-2, len(proof["parent"])))


def repeated_child(rng, proof):
    at, other = rng.integers(len(proof["child"]), size=2)
    proof["child"][at], proof["parent"][at] = (
        proof["child"][other],
        proof["parent"][other],
    )


def missing_box(rng, proof):
    """A box is left out; those after it move up."""
    at, k = int(rng.integers(len(proof["parent"]))), len(proof["parent"])
    width = len(proof["weights"]) // k
    del proof["weights"][at * width : (at + 1) * width]
    for name in ("parent", "child", "kind", "symbol", "level"):
        proof[name].pop(at)
        proof["shapes"][name] = [k - 1]
    proof["parent"] = [parent - (parent > at) for parent in proof["parent"]]
    proof["shapes"]["weights"] = [k - 1, width]


def only_the_root(rng, proof):
    """One box, whole, with weights as large as can be."""
    width = len(proof["weights"]) // len(proof["parent"])
    proof.update(parent=[-1], child=[0], kind=[0], symbol=[0], level=[0.0])
    proof["weights"] = [
        float(rng.normal() * 10.0 ** rng.integers(-3, 300)) for _ in range(width)
    ]
    proof["shapes"].update(
        {name: [1] for name in ("parent", "child", "kind", "symbol", "level")},
        weights=[1, width],
    )


def capped(rng, proof):
    """Caps are lowered, so that the boxes leave something out."""
    share = float(rng.choice([0.0, 0.5, 0.999, 1 - 1e-9]))
    proof["caps"] = [cap * share for cap in proof["caps"]]


ATTACKS = (
    scaled, shifted, extreme, everywhere, not_finite, wrong_type, wrong_length,
    wrong_shape, whole_number, cycle, repeated_child, missing_box, only_the_root,
    capped,
)  # fmt: skip


def attacked(rng, proof, value):
    """Return a copy of a proof, as JSON values, after one to three attacks, and names.

    Half of the copies claim less than ``value``, which a mechanism achieves; the others
    claim far more, so that only what they prove decides.
    """
    copy = json.loads(json.dumps(proof))
    copy["digest"] = ""
    copy["upper"] = (
        value * float(rng.choice([0.5, 0.999, 1 - 1e-7]))
        if rng.random() < 0.5
        else 100.0
    )
    names = []
    for attack in rng.choice(len(ATTACKS), size=rng.integers(1, 4)):
        try:
            ATTACKS[attack](rng, copy)
        except (
            TypeError,
            ValueError,
            IndexError,
            AttributeError,
            ArithmeticError,
        ):  # nothing is left that it could use
            continue
        names.append(ATTACKS[attack].__name__)
    return copy, names
