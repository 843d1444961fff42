"""A figure of a paper again, over other sizes and random numbers."""

import pandas as pd

from liftbook import figures

runs = []
for n_public in (5, 17):
    for seed in range(3):  # trials, budgets, lambdas, |S|, |X|
        rows = figures.figure_e23_2(
            20, [1, 4], [0.5], 5, n_public, rng=seed
        )
        runs.append(rows.assign(symbols=n_public, seed=seed))
rows = pd.concat(runs)
nmi = rows[rows["measure"] == "nmi"]
means = nmi.groupby(["symbols", "eps", "series"])["mean"]
print(means.agg(["min", "max"]).round(3))
