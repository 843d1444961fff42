"""Nothing outside liftlib.notions asks what class a notion is: a notion answers for itself."""

import ast
from pathlib import Path

import pytest

import liftlib as ll

ROOT = Path(ll.__file__).resolve().parent
TREES = {"liftlib": ROOT, "liftbook": ROOT.parent / "liftbook"}

CLASSES = {
    "LiftNotion",
    "ALIP",
    "LIP",
    "LDP",
    "SRLIP",
    "L1Lift",
    "Chi2Lift",
    "AlphaLift",
    "AverageLeakage",
    "MaximalLeakage",
}
"""Every kind of notion; to hold an argument against Notion itself is to ask whether it is one."""


def names(tree):
    """Return every plain name or attribute in a tree."""
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return found | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def asks(text):
    """Return the lines that look at a notion's class: isinstance, issubclass, type(...) is, match."""
    tree = ast.parse(text)
    # a tuple of classes under a name of its own, or a class imported under another
    known = set(CLASSES)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            known |= {one.asname for one in node.names if one.asname and one.name in CLASSES}
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("isinstance", "issubclass") and any(known & names(one) for one in node.args[1:]):
                lines.append(node.lineno)
        elif isinstance(node, ast.MatchClass) and known & names(node.cls):
            lines.append(node.pattern.lineno if hasattr(node, "pattern") else node.lineno)
        elif isinstance(node, ast.Compare):
            types = [c for c in ast.walk(node) if isinstance(c, ast.Call) and getattr(c.func, "id", "") == "type"]
            if types and any(known & names(one) for one in (node.left, *node.comparators)):
                lines.append(node.lineno)
    return lines


@pytest.mark.parametrize("tree", TREES)
def test_nothing_asks_for_a_notions_class(tree):
    root = TREES[tree]
    files = [path for path in root.rglob("*.py") if ROOT / "notions" not in path.parents]
    assert len(files) > 20
    found = {str(path.relative_to(root)): asks(path.read_text(encoding="utf-8")) for path in files}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "text",
    [
        "isinstance(notion, LIP)",
        "isinstance(notion, ALIP | LIP)",
        "isinstance(notion, (int, notions.SRLIP))",
        "from liftlib import LDP as Differential\nisinstance(x, Differential)",
        "issubclass(type(notion), LiftNotion)",
        "type(notion) is LDP",
        "type(notion) in (LDP, LIP)",
        "match notion:\n    case ALIP(eps_l=a):\n        pass",
        "match notion:\n    case liftlib.LIP():\n        pass",
    ],
)
def test_the_test_finds_them(text):
    assert len(asks(text)) == 1


@pytest.mark.parametrize(
    "text", ["isinstance(notion, Notion)", "LIP(1.0)", "isinstance(joint, Joint)", "type(x) is int"]
)
def test_the_test_lets_the_rest_be(text):
    assert asks(text) == []
