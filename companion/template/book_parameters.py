"""How the pages declare parameters: a typed assignment a line, with a comment that may end in a range.

``tosses: int = 20  # how often the coin is tossed, in [1, 10000]``
"""

import ast
import math
import re
from dataclasses import dataclass

TYPES = {"int": int, "float": float, "str": str, "bool": bool}
RANGE = re.compile(r"in \[([^,]+), ([^\]]+)\]$")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a page: name, default, meaning, type and range."""

    name: str
    default: object
    comment: str
    annotation: str
    low: float = -math.inf
    high: float = math.inf

    def check(self, value):
        """Return a value of this type, if it is in range."""
        if self.annotation == "float" and type(value) is int:
            value = float(value)
        if type(value) is not TYPES[self.annotation]:
            raise ValueError(f"{self.name} is {value!r}: give a value of the type {self.annotation}")
        if self.annotation in ("int", "float") and not self.low <= value <= self.high:
            raise ValueError(f"{self.name} is {value}, not in [{self.low:g}, {self.high:g}]")
        return value


def parse_parameters(source, where):
    """Return the parameters that a cell declares."""
    found, lines = [], source.splitlines()
    for node in ast.parse(source).body:
        if not isinstance(node, ast.AnnAssign) or ast.unparse(node.annotation) not in TYPES:
            raise ValueError(f"{where}: {lines[node.lineno - 1]!r} is not `name: type = value  # comment`")
        comment = lines[node.end_lineno - 1][node.end_col_offset :].partition("#")[2].strip()
        bounds = RANGE.search(comment)
        limits = (float(bounds[1]), float(bounds[2])) if bounds else ()
        default = ast.literal_eval(node.value)
        found.append(Parameter(node.target.id, default, comment, ast.unparse(node.annotation), *limits))
    return found


def read_parameters(path):
    """Return the parameters of a page; none if no cell has the tag ``parameters``."""
    import jupytext  # a reader's browser does not have it

    cells = jupytext.read(path).cells
    sources = [cell.source for cell in cells if "parameters" in cell.metadata.get("tags", [])]
    return parse_parameters(sources[0], path) if sources else []


def preview_parameters(path):
    """Return the values with which a reader's run in the browser begins."""
    import jupytext

    return jupytext.read(path).metadata.get("companion", {}).get("preview", {})
