"""Twenty ordinary mistakes of a first day: each is answered with an error or a warning
of the library.
"""

import numpy as np
import pandas as pd
import pytest
from asked import printed

import liftlib as ll
from liftlib.errors import LiftError, LiftWarning
from liftlib.testing import check_mechanism, check_notion

JOINT = ll.datasets.hundred_people(decades=True)
NOTION = ll.LIP(0.5)
TABLE = pd.DataFrame(
    {
        "id": range(40),
        "ill": ["yes", "no"] * 20,
        "age": list("abcd") * 10,
        "one": ["flu"] * 40,
    }
)


def identity(joint, notion):
    return ll.Channel.identity(joint.n_public)


def no_channel(joint, notion):
    return np.eye(joint.n_public)


ERRORS = {
    "counts for probabilities": lambda: ll.Joint([[3, 1], [2, 4]]),
    "P(x|s) for P(s, x)": lambda: ll.Joint([[0.5, 0.5], [0.2, 0.8]]),
    "P(s|x) for P(s, x)": lambda: ll.Joint([[0.5, 0.2], [0.5, 0.8]]),
    "a symbol without mass": lambda: ll.Joint([[0.5, 0.0], [0.5, 0.0]]),
    "one label too few": lambda: ll.Joint(JOINT.p, public=["20s", "30s"]),
    "a misspelt column": lambda: ll.Joint.from_table(TABLE, secret="il", public="age"),
    "a missing value": lambda: ll.Joint.from_table(
        TABLE.assign(age=None), secret="ill", public="age"
    ),
    "secret and public the same": lambda: ll.Joint.from_table(
        TABLE, secret="ill", public="ill"
    ),
    "a negative budget": lambda: ll.LIP(-0.5),
    "a budget that is text": lambda: ll.LIP("0.5"),
    "a class for a notion": lambda: ll.design(JOINT, ll.LIP),
    "a table for a joint": lambda: ll.design(TABLE, NOTION),
    "a misspelt mechanism": lambda: ll.design(JOINT, NOTION, "subset merger"),
    "a misspelt option": lambda: ll.design(JOINT, NOTION, "optimal", gaps=0.1),
    "a notion that is not served": lambda: ll.design(
        JOINT, ll.SRLIP(1.0, (2, 3)), "watchdog"
    ),
    "a mechanism that leaks": lambda: ll.design(JOINT, NOTION, identity),
    "a mechanism without a channel": lambda: ll.design(JOINT, NOTION, no_channel),
    "a channel of another table": lambda: NOTION.is_satisfied(
        ll.Joint(JOINT.p, JOINT.secret, list("uvwxyz")), ll.design(JOINT, NOTION)
    ),
    "a transposed kernel": lambda: ll.Channel([[0.5, 0.2], [0.5, 0.8]]),
    "a label that does not exist": lambda: ll.design(JOINT, NOTION).sample(["90s"]),
    "symbols beyond a kernel": lambda: ll.mechanisms.randomised_response(
        ll.Joint(np.full((2, 100_000), 5e-6)), ll.LIP(1.0)
    ),
    "a list for register": lambda: ll.mechanisms.register([identity]),
    "a number for mechanisms": lambda: ll.compare(JOINT, NOTION, 3),
    "a number for notions": lambda: check_mechanism(identity, 0.5),
    "a number among notions": lambda: check_mechanism(identity, [NOTION, 0.5]),
    "a class to check": lambda: check_notion(ll.LIP),
}
WARNINGS = {
    "one class": lambda: ll.Joint.from_table(TABLE, secret="one", public="age"),
    "an identifier": lambda: ll.Joint.from_table(TABLE, secret="ill", public="id"),
    "a leak in a comparison": lambda: ll.compare(JOINT, NOTION, [identity]),
}


@pytest.mark.parametrize("mistake", ERRORS)
def test_it_is_an_error_of_the_library(mistake):
    with pytest.raises(LiftError) as caught:
        ERRORS[mistake]()
    assert len(str(caught.value)) > 20


@pytest.mark.parametrize("mistake", WARNINGS)
def test_it_is_a_warning_of_the_library(mistake):
    with pytest.warns(LiftWarning) as told:
        WARNINGS[mistake]()
    # the screen shows the name of the class: it is the one that help and imports know
    assert {one.category for one in told} == {LiftWarning}
    assert getattr(ll, LiftWarning.__name__) is LiftWarning


@pytest.mark.parametrize(
    "notions", [NOTION, [NOTION, ll.ALIP(0.5, 1.0)], {"mine": NOTION}]
)
def test_notions_to_check_may_be_given_as_one_likes(notions):
    report = check_mechanism(identity, notions)
    assert not report.passed
    assert check_mechanism("Subset merging", notions).passed


def test_plots_without_matplotlib_name_the_remedy():
    code = (
        "import sys; sys.modules['matplotlib'] = sys.modules['matplotlib.pyplot'] ="
        " None\nfrom liftlib.errors import MissingExtra\ntry: import"
        " liftlib.plots\nexcept MissingExtra: print('named')"
    )
    assert printed(code) == "named"
