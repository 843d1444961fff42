"""The published watchdog against the repaired one, on random tables."""

from functools import partial

import pandas as pd

import liftlib as ll

watchdog = ll.mechanisms.watchdog
both = {"published": partial(watchdog, extend=False), "repaired": watchdog}
rows = []
for p in ll.datasets.uniform_joints(100, 5, 17, 0):
    joint = ll.Joint(p)
    for eps in (0.5, 1.0, 2.0):
        notion = ll.LIP(eps)
        for name, mechanism in both.items():
            channel = mechanism(joint, notion)
            private = notion.is_satisfied(joint, channel)
            nmi = ll.evaluate(joint, channel).nmi
            rows.append((eps, name, 100 * private, nmi))
frame = pd.DataFrame(rows, columns=["eps", "watchdog", "private %", "nmi"])
print(frame.groupby(["eps", "watchdog"]).mean().round(3))
