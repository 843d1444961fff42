"""S20: optimal protocols for LDP, for LIP, and without the table."""

import liftlib as ll

joint = ll.datasets.hundred_people()
names = ["optimal", "randomised-response", "conditional-reporting"]
for notion in (ll.LDP(1.0), ll.LIP(0.5)):
    rows = ll.compare(joint, notion, names)
    print(notion, rows[["mechanism", "nmi", "secret"]].round(3), sep="\n")
