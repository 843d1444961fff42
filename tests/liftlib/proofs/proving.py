"""What a proof proves by itself, whatever bound it claims."""

import json
from dataclasses import replace

import liftlib as ll
from liftlib import exact
from liftlib.proofs import rounded_up, to_problem


def bound_of(joint, notion, proof):
    """Return the bound that a proof proves, for a channel that says nothing."""
    nothing = ll.Channel.constant(joint.n_public)
    claim = replace(proof, upper=1e3, digest="")
    return rounded_up(
        exact.check(json.loads(to_problem(joint, notion, nothing, claim)))
    )
