"""The directive ``lift-people``: the hundred people of the small table.

Each group is shown with the probability that a member has the condition, and with the lift.
"""

import html

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from liftlib.datasets import hundred_people
from liftlib.joint import Joint
from liftlib.measures.lifts import lift

STEP, ACROSS = 14, 10
"""Pixels from one person to the next, and people in a row."""


def dots(marked: int, people: int) -> str:
    """Return an SVG of people as dots in rows of ten, the marked ones first."""
    places = [(STEP * (at % ACROSS) + STEP // 2, STEP * (at // ACROSS) + STEP // 2) for at in range(people)]
    shapes = [
        f'<circle cx="{x}" cy="{y}" r="5" class="lift-{"marked" if at < marked else "other"}"/>'
        for at, (x, y) in enumerate(places)
    ]
    box = f"0 0 {STEP * ACROSS} {STEP * -(-people // ACROSS)}"
    return f'<svg viewBox="{box}" aria-hidden="true">{"".join(shapes)}</svg>'


def picture(joint: Joint, people: int) -> str:
    """Return a joint as HTML: everyone, then each symbol's people, with posteriors.

    >>> picture(Joint.from_counts([[2, 13], [28, 17]], public=["young", "old"]), 60).count("<circle")
    120
    """
    first = str(joint.secret[0])
    groups = [("everyone", people * joint.p_s[0], float(people), 1.0)]
    columns = zip(joint.public, people * joint.p[0], people * joint.p_x, lift(joint)[0], strict=True)
    groups += [(str(name), float(marked), float(total), float(ratio)) for name, marked, total, ratio in columns]
    shown, descriptions = [], []
    for name, marked, total, ratio in groups:
        belief = f"{marked:.0f} of {total:.0f}: {100 * marked / total:.3g} %"
        descriptions.append(f"{name}: {belief}, lift {ratio:.2f}")
        words = "the belief before" if name == "everyone" else f"lift {ratio:.2f}"
        drawn = dots(round(marked), round(total))
        shown.append(f"<div><b>{html.escape(name)}</b>{drawn}<span>{belief}</span><strong>{words}</strong></div>")
    alt = html.escape(f"People, those with the {first} marked. {'; '.join(descriptions)}.", quote=True)
    return f'<div class="lift-people" role="img" aria-label="{alt}">{"".join(shown)}</div>'


class People(SphinxDirective):
    """Renders the picture of the hundred people."""

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", picture(hundred_people(), 100), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("lift-people", People)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
