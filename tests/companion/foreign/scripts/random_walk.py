# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # A random walk
#
# Try other numbers of steps.

# %%
import random

# %%
steps = 100
seed = 1

# %%
random.seed(seed)
place = 0
for _ in range(steps):
    place += random.choice([-1, 1])
print("after", steps, "steps:", place)
