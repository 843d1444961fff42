"""What several tests ask: of a channel, of an error, and of a fresh interpreter."""

import subprocess
import sys
from contextlib import nullcontext

from messages import raised

from liftlib import measures


def utility(joint, channel):
    """I(X; Y), nats."""
    return measures.mutual_information(channel.joint_xy(joint))


def raised_if(fails, kind):
    """Expect an error of a class, its words stored, or none."""
    return raised(kind) if fails else nullcontext()


def printed(code):
    """What code prints in an interpreter that has imported nothing."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
