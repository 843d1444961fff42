"""The cells of a notebook that replace a solution."""

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
    return list(
        dict.fromkeys(re.findall(r"^(answer_\d+)\b.*?=", source, flags=re.MULTILINE))
    )


def ask(solution: str) -> str:
    """Return the code of a cell that asks for the answers of a solution."""
    return PROMPT + "\n".join(f"{name} = None" for name in answers(solution))


def folded(solution: str) -> str:
    """Return Markdown that shows a solution once its fold is opened.

    A code cell would run with all others, and the check would pass without an answer.

    >>> print(folded("answer_1 = 2"))
    <details><summary>The solution</summary>
    <BLANKLINE>
    ```python
    answer_1 = 2
    ```
    <BLANKLINE>
    </details>
    """
    summary = "<details><summary>The solution</summary>"
    return f"{summary}\n\n```python\n{solution.strip()}\n```\n\n</details>"
