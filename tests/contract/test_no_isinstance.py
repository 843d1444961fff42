"""Nothing outside liftlib.notions asks what class a notion is: a notion answers for itself."""

import ast
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import liftlib as ll
from liftlib import notions

ROOT = Path(ll.__file__).resolve().parent
TREES = {"liftlib": ROOT, "liftbook": ROOT.parent / "liftbook"}


def kinds_of(notion):
    """Give the names of the library's own classes below one."""
    for kind in notion.__subclasses__():
        if kind.__module__.startswith("liftlib.notions"):
            yield kind.__name__
            yield from kinds_of(kind)


for module in pkgutil.iter_modules(notions.__path__, "liftlib.notions."):
    import_module(module.name)
CLASSES = {*kinds_of(ll.Notion)}
"""Every kind of notion; to hold an argument against Notion itself is to ask whether it is one."""


def names(tree):
    """Return every plain name or attribute in a tree."""
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return found | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def types_in(tree):
    """Return the calls of type() with one argument in a tree."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) == 1]
    return [node for node in calls if isinstance(node.func, ast.Name) and node.func.id == "type"]


def asks(text):
    """Return the lines that look at a notion's class: isinstance, issubclass, type(...) is or in, match, __class__.

    Of what is called a notion or a promise, type(...) alone is a question, whatever is done with the answer.
    """
    tree = ast.parse(text)
    # a tuple of classes under a name of its own, or a class imported under another
    known = {*CLASSES, "NOTIONS"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            known |= {one.asname for one in node.names if one.asname and one.name in CLASSES}
    lines = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("isinstance", "issubclass") and any(known & names(one) for one in node.args[1:]):
                lines.add(node.lineno)
        elif isinstance(node, ast.MatchClass) and known & names(node.cls):
            lines.add(node.lineno)
        elif isinstance(node, ast.Compare):
            if types_in(node) and any(known & names(one) for one in (node.left, *node.comparators)):
                lines.add(node.lineno)
        elif isinstance(node, ast.Attribute) and node.attr == "__class__":
            lines.add(node.lineno)
    for call in types_in(tree):
        if any(word in name.lower() for name in names(call.args[0]) for word in ("notion", "promise")):
            lines.add(call.lineno)
    return sorted(lines)


def test_the_classes_are_the_folders():
    """And so is one that is written tomorrow; a name that makes another's object is no class."""
    assert {"LiftNotion", "ALIP", "LIP", "SRLIP", "AverageLeakage"} <= CLASSES
    made = {getattr(notions, name) for name in notions.__all__}
    assert {one.__name__ for one in made if isinstance(one, type) and issubclass(one, ll.Notion)} <= {
        *CLASSES,
        "Notion",
    }


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
        "type(x) in NOTIONS.values()",
        "type(x) not in catalogue.NOTIONS.values()",
        "type(notion).__name__",
        "str(type(self.promise))",
        "type(own_notion).__qualname__ == word",
        "x.__class__.__name__",
        "notion.__class__ is y",
        "match notion:\n    case ALIP(eps_l=a):\n        pass",
        "match notion:\n    case liftlib.LIP():\n        pass",
    ],
)
def test_the_test_finds_them(text):
    assert len(asks(text)) == 1


@pytest.mark.parametrize(
    "text",
    ["isinstance(notion, Notion)", "LIP(1.0)", "isinstance(joint, Joint)", "type(x) is int", "type(error).__name__"],
)
def test_the_test_lets_the_rest_be(text):
    assert asks(text) == []
