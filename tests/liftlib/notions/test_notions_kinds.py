"""Every question that a notion answers names the argument that is of another kind than it takes."""

import math

import pytest

from liftlib import ALIP, LDP, LIP, SRLIP, AlphaLift, Channel, Chi2Lift, InvalidParameter, Joint, L1Lift

TABLE = Joint([[0.3, 0.2], [0.1, 0.4]])
NOTIONS = [ALIP(1, 1), LIP(1), LDP(1), L1Lift(math.inf, 1), Chi2Lift(1, 1), AlphaLift(2, 1, 1), SRLIP(1, (2,))]
each = pytest.mark.parametrize("notion", NOTIONS, ids=str)


@each
@pytest.mark.parametrize("question", ["leakage", "violation", "is_satisfied"])
def test_of_a_release(notion, question):
    ask = getattr(notion, question)
    with pytest.raises(InvalidParameter, match=r"^joint is \[\[1.0\]\]: give a Joint$"):
        ask([[1.0]], Channel.identity(2))
    with pytest.raises(InvalidParameter, match=r"^channel is \[\[1.0\]\]: give a Channel or None$"):
        ask(TABLE, [[1.0]])


@each
def test_of_a_table(notion):
    with pytest.raises(InvalidParameter, match=r"^joint is 3: give a Joint$"):
        notion.halfspaces(3)


def test_split():
    for args, name in (((-1, 0.5), "eps"), ((math.nan, 0.5), "eps"), ((1, 1.5), "lam"), ((1, -0.5), "lam")):
        with pytest.raises(InvalidParameter, match=f"^{name} is "):
            ALIP.split(*args)
    assert [ALIP.split(2, lam) for lam in (0, 0.25, 1)] == [ALIP(0, 2), ALIP(0.5, 1.5), ALIP(2, 0)]
