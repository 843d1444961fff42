"""The trade-off curve of three mechanisms."""

import liftlib as ll

joint = ll.datasets.hundred_people(decades=True)
budgets = [0.1, 0.25, 0.5, 0.75, 1.0]
names = ["watchdog", "subset-merging", "optimal"]
rows = ll.trade_off(joint, ll.LIP, budgets, names)
curves = rows.pivot(index="eps", columns="mechanism", values="nmi")
print(curves[names].round(3))
# curves.plot(ylabel="information retained, NMI")  # with matplotlib
