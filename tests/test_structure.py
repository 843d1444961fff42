"""The house: what a module, a function and a folder may be."""

import ast
import importlib
import re
from functools import cache
from pathlib import Path

from each import each

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("mixproof", "liftlib", "lifttables", "liftbook", "companion")
MODULES = sorted(
    path for package in PACKAGES for path in (ROOT / package).rglob("*.py")
)
each_module = each(MODULES, lambda path: str(path.relative_to(ROOT)))


@cache
def parsed(path):
    """Return a module's tree, for all tests that look at it."""
    return ast.parse(path.read_text(encoding="utf-8"))


def dotted(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(
        ".__init__"
    )


@each_module
def test_no_name_shadows_a_module(path):
    if path.name != "__init__.py":
        return
    inside = {one.stem for one in path.parent.glob("*.py")} | {
        one.name for one in path.parent.iterdir() if one.is_dir()
    }
    package = importlib.import_module(dotted(path))
    for name in inside & set(getattr(package, "__all__", [])):
        assert getattr(package, name).__name__ == f"{dotted(path)}.{name}", name


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*(?![\w=:-])")
COMMANDS = re.compile(r"^(?:lifttables/cli|liftbook/commands)/|/__main__\.py$")


def texts(tree):
    """Yield each text of a module but what documents it, with {} for what is put into
    it.
    """
    aside = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    aside |= {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                getattr(part, "value", "") if isinstance(part, ast.Constant) else "{}"
                for part in node.values
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in aside
        ):
            yield node.value


def test_only_commands_name_options():
    """A library names a parameter: what a command calls it, the command says."""
    found = set()
    for path in MODULES:
        name, tree = path.relative_to(ROOT).as_posix(), parsed(path)
        imported = {
            one.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for one in node.names
        }
        command = COMMANDS.search(name) or (
            "argparse" in imported and not name.startswith("lifttables")
        )
        # not a program's arguments
        sentences = [
            text for text in texts(tree) if " " in text and OPTION.search(text)
        ]
        if sentences and not command:
            found.add(name)
    assert not found


LOOKS = {
    "startswith",
    "endswith",
    "partition",
    "rpartition",
    "find",
    "index",
    "removeprefix",
    "search",
    "match",
}
READ_MESSAGES = {
    "lifttables/encoding/table.py",
    "lifttables/sources/distributed.py",
    "lifttables/sources/widths.py",
}
"""Modules that still tell cases apart by a text: by what other libraries say."""


def is_message(node, errors):
    """Return whether an expression is an error's text, or a result in words."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("str", "repr")
    ):
        return any(isinstance(one, ast.Name) and one.id in errors for one in node.args)
    return isinstance(node, ast.Attribute) and node.attr in (
        "problem",
        "message",
        "failure",
        "notion",
    )


def test_no_code_branches_on_a_message():
    found = set()
    for path in MODULES:
        tree = parsed(path)
        errors = {
            node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare):
                read = (
                    [node.left, *node.comparators]
                    if isinstance(node.ops[0], ast.In | ast.NotIn)
                    else []
                )
                read += [
                    one
                    for one in (node.left, *node.comparators)
                    if isinstance(one, ast.Call)
                ]
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in LOOKS:
                read = [node.func.value, *node.args]
            else:
                continue
            if any(is_message(one, errors) for one in read):
                found.add(path.relative_to(ROOT).as_posix())
    assert found <= READ_MESSAGES


def test_the_library_stands_alone():
    import subprocess
    import sys

    code = (
        "import sys, liftlib\nfor name in liftlib.__all__: getattr(liftlib,"
        " name)\nnames = 'liftbook', 'matplotlib', 'papermill', 'jupytext', 'polars',"
        " 'IPython'\nprint([name for name in names if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout.strip() == "[]"


@each_module
def test_no_comprehension_makes_a_set_for_each_item(path):
    """`x in set(y)` in a condition takes quadratic time: pooling 10,000 labels took 4
    s, and then 0.1 s.
    """
    conditions = [
        cond
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.comprehension)
        for cond in node.ifs
    ]
    looked_in = [
        ast.unparse(where)
        for cond in conditions
        for node in ast.walk(cond)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn)
        for where in node.comparators
        if isinstance(where, ast.SetComp | ast.ListComp | ast.DictComp)
        or (
            isinstance(where, ast.Call)
            and ast.unparse(where.func) in ("set", "list", "dict", "sorted", "tuple")
        )
    ]
    assert not looked_in


def without_a_reason(path):
    """Return the names of a module's small numbers that no comment or docstring
    explains.
    """
    tree, lines = parsed(path), path.read_text(encoding="utf-8").splitlines()
    silent = set()
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id.isupper()
        ):
            value = getattr(node.value, "value", None)
            if isinstance(value, float) and 0 < value < 1e-4:
                documented = isinstance(
                    getattr(getattr(after, "value", None), "value", None), str
                )
                above = lines[node.lineno - 2].startswith("# ")
                if (
                    not documented
                    and not above
                    and "  # " not in lines[node.lineno - 1]
                ):
                    silent.add(node.targets[0].id)
    return silent


def test_each_tolerance_has_its_reason():
    silent = {dotted(path): without_a_reason(path) for path in MODULES}
    assert {name: names for name, names in silent.items() if names} == {}


def test_the_licence_names_what_is_code():
    first = (ROOT / "LICENSE").read_text(encoding="utf-8").partition("\n")[0]
    folders = {path.parent.name for path in ROOT.glob("*/*.py")} | {"tools"}
    assert {*PACKAGES, "tests"} <= folders
    assert {one for one in folders if one not in first} == set()


def test_what_tests_share_is_written_once():
    """A helper is in one file, and two that differ say how."""
    places = {}
    for path in (ROOT / "tests").rglob("*.py"):
        for node in parsed(path).body:
            named = getattr(node, "name", "test_")
            if not named.startswith(("test_", "Test")):
                places.setdefault(named, []).append(path.name)
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_files_of_tests_have_names_of_their_own():
    """Two of one name cannot be collected in one run."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))
