"""The directive ``lift-checker``: a proof that the browser checks.

Like ``lift-picture``, it embeds its script in the page: ``proof.mjs``, which draws the proof. The check itself is
``mixproof/exact.py``, which ``liftbook/build/alive/prover.mjs`` runs in Python once the reader asks for it.
"""

from __future__ import annotations

import html
import json

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx

from liftbook.build.sphinx.living import SCRIPT_FOLDER, InPage, script
from liftlib.datasets import hundred_people
from liftlib.resources import resource

SCRIPTS = ("proof.mjs",)


def place() -> str:
    """Return the HTML for the proof of the hundred people, with its script."""
    people = hundred_people()
    stored = resource("data/proof-people.json").read_text(encoding="utf-8")
    names = json.dumps({"secrets": list(map(str, people.secret)), "symbols": list(map(str, people.public))})
    return (
        f'<div class="lift-living lift-checker" data-problem="{html.escape(stored)}" data-names="{html.escape(names)}">'
        "<noscript><p>With scripts, this proof can be checked here.</p></noscript></div>"
        f'<script type="module">{script(SCRIPTS)}</script>'
    )


class ProofInPage(InPage):
    """Renders the proof and its description."""

    reads = tuple(SCRIPT_FOLDER / name for name in SCRIPTS)

    def run(self) -> list[nodes.Node]:
        return [self.words(), nodes.raw("", place(), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.add_directive("lift-checker", ProofInPage)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
