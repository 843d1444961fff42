"""E23: the smallest lift is further from 1 than the largest one."""

import numpy as np

import liftlib as ll

joints = ll.datasets.uniform_joints(10_000, 5, 17, 0)
p_s, p_x = joints.sum(axis=2), joints.sum(axis=1)
lifts = joints / (p_s[:, :, None] * p_x[:, None, :])
down = -np.log(lifts.min(axis=(1, 2)))
up = np.log(lifts.max(axis=(1, 2)))
print(f"mean of -log Psi: {down.mean():.2f} nats")
print(f"mean of log Lambda: {up.mean():.2f} nats")
print(f"-log Psi is larger in {100 * (down > up).mean():.1f} % of tables")
