"""Drawings whose input is at the edge of what matplotlib takes."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import liftlib as ll
from liftlib import plots

mpl.use("Agg")

PEOPLE = ll.datasets.hundred_people()


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("rounded", [1 - 2**-51, 1.0, 1 + 2**-51])
def test_an_arrow_is_drawn_whatever_its_probability_is_rounded_to(monkeypatch, rounded):
    monkeypatch.setattr(ll.Channel, "y_given_x", lambda *_: rounded * np.eye(3))
    ax = plots.plane(PEOPLE, channel=ll.Channel.identity(3))
    ax.figure.canvas.draw()
    arrows = [text.arrow_patch for text in ax.texts if text.arrow_patch is not None]
    opacities = [arrow.get_alpha() for arrow in arrows]
    assert len(opacities) == 3
    assert max(opacities) <= 1
    assert opacities == pytest.approx([1.0] * 3)


def test_a_paler_arrow_has_less_probability():
    channel = ll.Channel([[0.5, 0.5], [0.0, 1.0], [0.04, 0.96]])
    ax = plots.plane(PEOPLE, channel=channel)
    arrows = [text.arrow_patch for text in ax.texts if text.arrow_patch is not None]
    opacities = [arrow.get_alpha() for arrow in arrows]
    # that of .04 is left out
    assert opacities == pytest.approx([0.65, 0.65, 1.0, 0.972])


@pytest.mark.parametrize("label", ["$x^$", "two\nlines", "a" * 40, "one or " * 8])
def test_any_label_can_be_drawn(label):
    joint = ll.Joint(PEOPLE.p, public=[label, "middle", "old"])
    for ax in (joint.plot(), ll.Channel.identity(3).plot(joint)):
        ax.figure.canvas.draw()
    texts = [text.get_text() for text in ax.texts]
    assert not any("\n" in text for text in texts)
    assert max(map(len, texts)) < 30
