"""What several tests ask: of a channel, an error, a fresh interpreter, a file."""

import io
import subprocess
import sys
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path

import numpy as np
import scipy
from messages import raised

from liftlib import Channel, measures

ROOT = Path(__file__).resolve().parents[1]
CHAPTERS = ROOT / "chapters"
HTML = ROOT / "_build" / "html"


def text_of(name):
    """The text of a file of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


class Terminal(io.StringIO):
    """A stream that says that somebody looks at it."""

    def isatty(self):
        return True


def random_channel(joint, seed, *, n_outputs=4, aware=False):
    """A channel whose rows are drawn; ``seed`` may be a generator that goes on."""
    shape = (joint.n_secret, joint.n_public) if aware else (joint.n_public,)
    rows = np.random.default_rng(seed).dirichlet(np.full(n_outputs, 0.5), size=shape)
    return Channel(rows)


def decimal(number):
    """A fraction as a decimal number of the context's digits."""
    return Decimal(number.numerator) / Decimal(number.denominator)


def by_cells(joint, channel):
    """P(s, y) and P(x, y), cell by cell."""
    kernel = channel.kernel
    if not channel.sees_secret:
        kernel = np.stack([kernel] * joint.n_secret)
    p_sy = np.zeros((joint.n_secret, channel.n_outputs))
    p_xy = np.zeros((joint.n_public, channel.n_outputs))
    for s, x, y in np.ndindex(kernel.shape):
        p_sy[s, y] += joint.p[s, x] * kernel[s, x, y]
        p_xy[x, y] += joint.p[s, x] * kernel[s, x, y]
    return p_sy, p_xy


def utility(joint, channel):
    """I(X; Y), nats."""
    return measures.mutual_information(channel.joint_xy(joint))


def entropies(points):
    """H(v) of each row, nats."""
    points = np.asarray(points)
    return -np.sum(points * np.log(np.where(points > 0, points, 1.0)), axis=-1)


def partitions(symbols):
    """Yield the partitions of some symbols."""
    if not symbols:
        yield []
        return
    first, rest = symbols[0], symbols[1:]
    for smaller in partitions(rest):
        yield [[first], *smaller]
        for k in range(len(smaller)):
            yield [*smaller[:k], [first, *smaller[k]], *smaller[k + 1 :]]


def give_up(*_):
    """Fail as qhull does where points are too close."""
    raise scipy.spatial.QhullError("QH6114 qhull precision error")


def raised_if(fails, kind):
    """Expect an error of a class, its words stored, or none."""
    return raised(kind) if fails else nullcontext()


def printed(code):
    """What code prints in an interpreter that has imported nothing."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
