"""A table of your own: audit a column, compare mechanisms, publish it."""

import liftlib as ll

table = ll.datasets.adult_frame()  # yours: pandas.read_csv("patients.csv")
table = table[table["workclass"] != "?"]  # yours: table.dropna()
joint = ll.Joint.from_table(table, secret="sex", public="workclass")
print(joint.to_frame("lifts").round(2).T)

notion = ll.LIP(0.3)  # lifts from 0.74 to 1.35
tried = ll.compare(
    joint, notion, ["watchdog", "randomised-response", "optimal"]
)
print(tried.drop(columns="seconds").round(3))

channel = ll.design(joint, notion, "watchdog")
published = channel.sample(table["workclass"], rng=1)
print(table.assign(published=published)[["workclass", "published"]].head())
