"""The directive ``betting-game``: bets on the condition of twenty people.

A bookmaker offers fair odds under the prior, so that a bet on the condition returns the lift on average. The argument
is the budget eps of ALIP, split equally, and ``mechanism`` (by default, the watchdog) designs the release::

    ```{betting-game} 1
    :mechanism: watchdog

    The text before the game.
    ```
"""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes  # type: ignore[import-untyped]
from docutils.parsers.rst import directives  # type: ignore[import-untyped]
from sphinx.application import Sphinx

import liftlib as ll
from liftbook.build.sphinx.living import InPage

SCRIPT = Path(__file__).parents[1] / "living" / "betting.mjs"


def game(eps: float, mechanism: str) -> dict[str, Any]:
    """Return the game's data: ``outputs``, joint ``p`` and ``allowed`` budget.

    ``eps`` is the total budget in nats, half for each direction; ``mechanism`` is a key of ``ll.mechanisms``.

    Examples
    --------
    >>> found = game(1.0, "watchdog")
    >>> found["outputs"], found["p"]
    (['middle', 'young or old'], [[0.05, 0.15], [0.35, 0.45]])
    """
    joint = ll.datasets.hundred_people()
    channel = ll.design(joint, ll.ALIP(eps / 2, eps / 2), mechanism)
    p = joint.p @ channel.kernel
    names = [" or ".join(str(joint.public[x]) for x in channel.kernel[:, y].nonzero()[0]) for y in range(p.shape[1])]
    return {"outputs": names, "p": p.round(12).tolist(), "allowed": eps / 2}


def place(data: dict[str, Any]) -> str:
    """Return the HTML of a game."""
    said = html.escape(json.dumps(data), quote=True)
    code = SCRIPT.read_text(encoding="utf-8")
    return f'<div class="lift-betting" data-game="{said}"></div><script type="module">{code}</script>'


class BettingGame(InPage):
    """Renders the game; the argument is the budget."""

    required_arguments = 1
    reads = (SCRIPT,)
    option_spec: ClassVar[dict[str, Any]] = {"mechanism": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        data = game(float(self.arguments[0]), self.options.get("mechanism", "watchdog"))
        return [self.words(), nodes.raw("", place(data), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.add_directive("betting-game", BettingGame)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
