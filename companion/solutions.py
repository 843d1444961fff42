"""The cells of a notebook that replace a solution."""

import re
from typing import Any

from companion.sealing import Sealed, concealed

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
    """Return the code of a cell that asks for the answers of a solution."""
    return PROMPT + "\n".join(f"{name} = None" for name in answers(solution))


def check_sealed(check: str, answer: Sealed) -> str:
    """Return the code of a check that contains only the sealed answer."""
    name = next(iter(re.findall(r"\banswer_\d+\b", check)))
    names = "from companion.exercises import check\nfrom companion.sealing import Sealed\n\n"
    return f'{names}check({name}, Sealed.read("{answer.text()}"))'


def reveal(solution: str) -> str:
    """Return code that prints a solution once its last line is uncommented.

    >>> reveal("answer_1 = 2").splitlines()[0]
    '# To read a solution, delete the # before show_solution, and run this cell.'
    """
    words = "# To read a solution, delete the # before show_solution, and run this cell.\n"
    return f'{words}from companion.exercises import show_solution\n\n# show_solution("{concealed(solution.strip())}")'
