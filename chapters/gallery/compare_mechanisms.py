"""Compare mechanisms, under labels of your own."""

import liftlib as ll

joint, notion = ll.datasets.hundred_people(decades=True), ll.LIP(0.5)
mechanisms = {  # a key, a paper's name, a function
    "one group": "watchdog",
    "small groups": "E23 Algorithm 1",
    "random answers": "AORR",
    "within groups": ll.mechanisms.subset_response,
}
rows = ll.compare(joint, notion, mechanisms)
print(rows[["mechanism", "nmi", "violation", "gap"]].round(3))
