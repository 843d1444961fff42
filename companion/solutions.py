"""What stands in a notebook in a solution's place: a cell that waits for the answers that the solution gives."""

import re
from typing import Any

PROMPT = "# Your answer: replace None, then run the next cell, which checks it.\n"


def tags(cell: Any) -> list[str]:
    """Return a cell's tags."""
    return list(cell.metadata.get("tags", []))


def answers(source: str) -> list[str]:
    """Return the names ``answer_N`` that a solution assigns, in order.

    >>> answers("half = 1 / 2\\nanswer_3 = half\\nanswer_3")
    ['answer_3']
    """
    return list(dict.fromkeys(re.findall(r"^(answer_\d+)\b.*?=", source, flags=re.MULTILINE)))


def ask(solution: str) -> str:
    """Return a cell that waits for the answers that a solution gives."""
    return PROMPT + "\n".join(f"{name} = None" for name in answers(solution))
