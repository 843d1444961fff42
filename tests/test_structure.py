"""The house: what a module, a function and a folder may be, so that a newcomer finds where a line belongs."""

import ast
import importlib
import statistics
import textwrap
from collections import defaultdict
from functools import cache
from pathlib import Path

from each import each

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("liftlib", "liftbook")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
each_module = each(MODULES, lambda path: str(path.relative_to(ROOT)))


@cache
def parsed(path):
    """Return a module's tree, for all tests that look at it."""
    return ast.parse(path.read_text(encoding="utf-8"))


def dotted(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def code_lines(function):
    """Return how many lines of a function are code: neither blank, comment, nor docstring."""
    body = function.body
    documented = isinstance(body[0], ast.Expr) and isinstance(getattr(body[0], "value", None), ast.Constant)
    lines = set()
    for node in ast.walk(function):
        if hasattr(node, "lineno") and not (documented and node in (body[0], getattr(body[0], "value", None))):
            lines |= set(range(node.lineno, node.lineno + 1)) | {node.end_lineno}
    return len(lines)


def test_modules_are_short():
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert not [str(path) for path, size in sizes.items() if size > 400]
    assert statistics.median(sizes.values()) < 150


@each_module
def test_functions_are_short(path):
    tree = parsed(path)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert not [f"{one.name} has {code_lines(one)} lines" for one in functions if code_lines(one) > 60]


@each_module
def test_no_name_shadows_a_module(path):
    """A package that exports a function by the name of one of its modules hides the module."""
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
    """`alpha` is an order, randomness is `rng`: no parameter calls a budget or a share alpha, or a generator seed."""
    tree = parsed(path)
    orders = {"AlphaLift", "_order", "alpha_of", "alpha_lift", "alpha_lift_inverse", "sibson", "arimoto"}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and path.relative_to(ROOT).parts[0] == "liftlib":
            named = {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
            assert "alpha" not in named or node.name in orders, node.name
            assert "seed" not in named, node.name


def test_the_library_stands_alone():
    """Touching every public name of liftlib imports neither the book nor what only the book draws and runs with."""
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


REPEATED = {
    ("lifttables/confident/merging.py", "lifttables/confident/response.py"),  # what both may be told
    ("liftlib/family.py", "liftlib/family.py"),  # a family's parts and its decorator's words
    ("liftlib/response/convex.py", "liftlib/response/proven.py"),  # a search's limits
}
"""Where six lines of code stand twice, all of them lists of parameters; a pair that is mended goes."""


def code_of(text):
    """Return a module's lines of code: no blank ones, no comments, imports or docstrings."""
    others = set()
    for node in ast.walk(ast.parse(text)):
        told = isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)
        if told or isinstance(node, ast.Import | ast.ImportFrom):
            others |= set(range(node.lineno, node.end_lineno + 1))
    lines = [line.strip() for at, line in enumerate(text.splitlines(), 1) if at not in others]
    return [line for line in lines if line and not line.startswith("#")]


def twice(texts, lines=6):
    """Return which pairs of modules have so many lines of code in common, in one passage; a module may with itself."""
    places = defaultdict(list)
    for name, text in texts.items():
        code = code_of(text)
        for at in range(len(code) - lines + 1):
            places[tuple(code[at : at + lines])].append(name)
    return {tuple(sorted((names[0], other))) for names in places.values() for other in names[1:]}


def test_no_passage_of_code_stands_twice():
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in MODULES}
    assert twice(texts) == REPEATED


def test_a_repeated_passage_is_found():
    passage = "".join(f"    total += {k}\n" for k in range(6))
    imports = "".join(f"import module_{k}\n" for k in range(6))
    words = '"""What it is.\n\nParameters\n----------\na\nb\n"""\n'
    one = f"{words}{imports}\ndef one(total):\n{passage}    return total\n"
    other = f"{words}{imports}\ndef other(total):\n    # alike\n{passage}    return -total\n"
    assert twice({"one": one, "other": other}) == {("one", "other")}
    assert twice({"one": one, "other": other}, 7) == set()
    assert twice({"one": one, "other": words + imports}) == set()
    assert twice({"one": one + textwrap.dedent(one[len(words) + len(imports) :])}) == {("one", "one")}


def tolerances(tree):
    """Return a module's own small numbers by name, and the names of those that say nothing of why."""
    found, silent = {}, set()
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper():
            value = getattr(node.value, "value", None)
            if isinstance(value, float) and 0 < value < 1e-4:
                found[node.targets[0].id] = value
                if not isinstance(getattr(getattr(after, "value", None), "value", None), str):
                    silent.add(node.targets[0].id)
    return found, silent


def room(module):
    """Return which room of which package a module lies in."""
    return tuple(module.split(".")[:2])


def test_tolerances_that_rooms_share_are_in_numerics():
    """One that a single room uses stands in it; each has its reason below it."""
    own = {dotted(path): tolerances(parsed(path)) for path in MODULES}
    assert {name: silent for name, (_, silent) in own.items() if silent} == {}
    strays = {
        f"{dotted(path)}: {node.module}.{one.name}"
        for path in MODULES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom) and node.module in own and node.module != "mixproof.numerics"
        for one in node.names
        if one.name in own[node.module][0] and room(node.module) != room(dotted(path))
    }
    assert strays == set()


def test_tolerances_of_one_name_have_one_value():
    values = defaultdict(set)
    for path in MODULES:
        for name, value in tolerances(parsed(path))[0].items():
            values[name].add(value)
    # how near is near, alike or a tie differs within the search for the cheapest mixture, and from a notion's side
    assert {name for name, found in values.items() if len(found) > 1} == {"ALIKE", "NEAR", "TIE"}


def rooms(package):
    """Return the folders and modules at the top of a package."""
    inside = (ROOT / package).iterdir()
    return {
        path.stem
        for path in inside
        if (path.suffix == ".py" or any(path.glob("*.py"))) and not path.stem.startswith("_")
    }


def test_every_room_is_told_of():
    """In the table of rooms that CONTRIBUTING.md begins with; the library's floors also in what it says of itself."""
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Rules")[0]
    folders = {f"{package}/{room}" for package in PACKAGES for room in rooms(package)}
    assert len(folders) > 20
    missing = {one for one in folders if f"`{one}/`" not in table and f"`{one}.py`" not in table}
    assert missing == set()
    told = ast.get_docstring(parsed(ROOT / "liftlib" / "__init__.py")).translate(str.maketrans(",;.", "   "))
    assert rooms("liftlib") - set(told.split()) == set()


def test_the_licence_names_what_is_code():
    first = (ROOT / "LICENSE").read_text(encoding="utf-8").partition("\n")[0]
    folders = {path.parent.name for path in ROOT.glob("*/*.py")} | {"tools"}
    assert {"liftlib", "liftbook", "tests"} <= folders
    assert {one for one in folders if one not in first} == set()
