"""Release rows, and estimate the original shares from them."""

import numpy as np
import polars as pl

import liftlib as ll
import lifttables as lt

joint = ll.datasets.hundred_people()
people = np.random.default_rng(0).choice(6, 5000, p=joint.p.ravel())
table = pl.DataFrame(
    {
        "ill": [str(joint.secret[at // 3]) for at in people],
        "age": [str(joint.public[at % 3]) for at in people],
    }
)
done = lt.sanitise(
    table, secret="ill", public="age", notion=ll.LIP(1), rng=7
)
found = lt.estimate(done.frame, done.card)
rows = zip(found.symbols, found.unbiased, found.error, strict=True)
for name, share, error in rows:
    print(f"{name:6} {share:.3f}, standard error {error:.3f}")
