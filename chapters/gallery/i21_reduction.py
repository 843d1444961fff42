"""I21: one share moves every lift towards 1."""

import numpy as np

import liftlib as ll

joint, notion = ll.datasets.hundred_people(decades=True), ll.LIP(0.5)
channel = ll.design(joint, notion, "linear-reduction")
before = ll.lift(joint)
after = ll.lift(channel.release(joint))
print("lifts before", before.round(2), sep="\n")
print("lifts after", after.round(2), sep="\n")
print("share:", np.unique(((after - 1) / (before - 1)).round(6)))
