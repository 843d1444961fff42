"""The house: what a module, a function and a folder may be."""

import ast
import importlib
from functools import cache
from pathlib import Path

from each import each

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("mixproof", "liftlib", "lifttables", "liftbook", "companion")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
each_module = each(MODULES, lambda path: str(path.relative_to(ROOT)))


@cache
def parsed(path):
    """Return a module's tree, for all tests that look at it."""
    return ast.parse(path.read_text(encoding="utf-8"))


def dotted(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def code_lines(function):
    """Return how many lines of a function are code."""
    body = function.body
    documented = isinstance(body[0], ast.Expr) and isinstance(getattr(body[0], "value", None), ast.Constant)
    lines = set()
    for node in ast.walk(function):
        if hasattr(node, "lineno") and not (documented and node in (body[0], getattr(body[0], "value", None))):
            lines |= set(range(node.lineno, node.lineno + 1)) | {node.end_lineno}
    return len(lines)


@each_module
def test_functions_are_short(path):
    tree = parsed(path)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert not [f"{one.name} has {code_lines(one)} lines" for one in functions if code_lines(one) > 60]


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


@each_module
def test_each_module_says_what_it_is(path):
    assert ast.get_docstring(parsed(path)), path


@each_module
def test_words(path):
    tree = parsed(path)
    orders = {"AlphaLift", "_order", "alpha_of", "alpha_lift", "alpha_lift_inverse", "sibson", "arimoto"}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and path.relative_to(ROOT).parts[0] in (
            "mixproof",
            "liftlib",
            "lifttables",
        ):
            named = {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
            assert "alpha" not in named or node.name in orders, node.name
            assert "seed" not in named, node.name


def test_the_library_stands_alone():
    import subprocess
    import sys

    code = (
        "import sys, liftlib\n"
        "for name in liftlib.__all__: getattr(liftlib, name)\n"
        "names = 'liftbook', 'matplotlib', 'papermill', 'jupytext', 'polars', 'IPython'\n"
        "print([name for name in names if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_no_two_files_of_tests_have_one_name():
    """Pytest refuses them, and only when both are collected."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert len(names) == len(set(names))


def tolerances(path):
    """Return a module's own small numbers by name."""
    tree, lines = parsed(path), path.read_text(encoding="utf-8").splitlines()
    found, silent = {}, set()
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper():
            value = getattr(node.value, "value", None)
            if isinstance(value, float) and 0 < value < 1e-4:
                found[node.targets[0].id] = value
                documented = isinstance(getattr(getattr(after, "value", None), "value", None), str)
                if not documented and "  # " not in lines[node.lineno - 1]:
                    silent.add(node.targets[0].id)
    return found, silent


def test_each_tolerance_has_its_reason():
    silent = {dotted(path): tolerances(path)[1] for path in MODULES}
    assert {name: names for name, names in silent.items() if names} == {}


def test_the_licence_names_what_is_code():
    first = (ROOT / "LICENSE").read_text(encoding="utf-8").partition("\n")[0]
    folders = {path.parent.name for path in ROOT.glob("*/*.py")} | {"tools"}
    assert {*PACKAGES, "tests"} <= folders
    assert {one for one in folders if one not in first} == set()
