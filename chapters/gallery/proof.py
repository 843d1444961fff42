"""A proof that no mechanism does better, and its check."""

import json

import liftlib as ll
from liftlib import exact, proofs

joint, notion = ll.datasets.hundred_people(decades=True), ll.LIP(0.5)
best = ll.design(joint, notion, "optimal", method="tree", gap=1e-3)
checked = ll.check_proof(joint, notion, best)
print(
    f"I(X; Y) = {checked.value:.4f}, and at most {checked.upper:.4f} nats"
)

problem = proofs.to_problem(joint, notion, best)  # a file for anybody
alone = exact.check(json.loads(problem))  # with Python alone
print(f"the file proves: at most {float(alone.upper):.4f} nats")
