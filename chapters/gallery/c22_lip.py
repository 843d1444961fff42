"""C22: what subset merging gains over the watchdog under LIP."""

import numpy as np

import liftlib as ll

for eps in (0.5, 1.0, 2.0):
    gains, notion = [], ll.LIP(eps)
    for p in ll.datasets.uniform_joints(200, 5, 20, 0):
        joint = ll.Joint(p)
        watchdog = ll.design(joint, notion, "watchdog")
        merging = ll.design(joint, notion, "subset-merging")
        nmi = [ll.evaluate(joint, one).nmi for one in (watchdog, merging)]
        gains.append(nmi[1] - nmi[0])
    never = f"{100 * np.mean(np.array(gains) < -1e-12):.1f} %"
    print(f"LIP({eps}): mean gain {np.mean(gains):.3f}, a loss in {never}")
