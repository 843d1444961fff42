"""The recipes work as they are written."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from asked import ROOT, text_of

BLOCK = re.compile(
    r"^(`{3,})(?:\{code-block\} )?(\w+)\n(?::caption: (\S+)\n\n)?(.*?)^\1$",
    re.MULTILINE | re.DOTALL,
)
PACKAGES = ("mixproof", "liftlib", "lifttables", "liftbook", "companion", "benchmarks")
COPIED = (*PACKAGES, "tests", "chapters", "data", "_static")
SINGLE = (
    "intro.md",
    "_toc.yml",
    "_config.yml",
    "LICENSE",
    "pyproject.toml",
    "references.bib",
    "logo.svg",
    "README.md",
)


class Block(NamedTuple):
    language: str
    file: str
    text: str


def recipes():
    """Return the blocks of each recipe, by its name."""
    return {
        path.stem: [
            Block(m[2], m[3] or "", m[4])
            for m in BLOCK.finditer(path.read_text(encoding="utf-8"))
        ]
        for path in sorted((ROOT / "docs" / "recipes").glob("*.md"))
    }


RECIPES = recipes()


def join(text, change):
    r"""Return a file's text with lines marked + added and lines marked - removed.

    >>> join("a\nb\n", " a\n+c\n")
    'a\nc\nb\n'
    >>> join("a\nb\n", "-a\n+c\n")
    'c\nb\n'
    """
    lines = change.splitlines(keepends=True)
    for line in lines:
        assert line[:1] in (" ", "+", "-"), f"neither context nor new nor old: {line!r}"
    before = "".join(line[1:] for line in lines if line[0] != "+")
    after = "".join(line[1:] for line in lines if line[0] != "-")
    assert text.count(before) == 1, f"{before!r} stands {text.count(before)} times"
    return text.replace(before, after)


def texts_of_recipe(blocks):
    """Return the texts of the files that a recipe adds or changes, by their names."""
    texts = {}
    for block in blocks:
        if block.language == "diff":
            if block.file not in texts:
                texts[block.file] = (ROOT / block.file).read_text(encoding="utf-8")
            texts[block.file] = join(texts[block.file], block.text)
        elif block.file:
            assert not (ROOT / block.file).exists(), f"{block.file} already exists"
            texts[block.file] = block.text
    return texts


def test_the_recipes_are_there():
    assert list(RECIPES) == ["chapter", "figure", "mechanism", "notion", "paper"]


@pytest.mark.parametrize(
    ("name", "most"),
    [("notion", 4), ("mechanism", 3), ("chapter", 2), ("figure", 5), ("paper", 7)],
)
def test_few_files_are_written_by_hand(name, most):
    assert len({block.file for block in RECIPES[name] if block.file}) == most


@pytest.mark.parametrize("name", RECIPES)
def test_contributing_names_what_a_recipe_changes(name):
    """But for the chapter, which is another for each figure."""
    (row,) = [
        line
        for line in text_of("docs/CONTRIBUTING.md").splitlines()
        if line.startswith("| ") and f"recipes/{name}.md" in line
    ]
    changed = {block.file for block in RECIPES[name] if block.language == "diff"}
    left = [file for file in changed if f"`{file}`" not in row]
    assert left in ([], ["chapters/lift-asymmetry.md"])


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_applies(name):
    for file, text in texts_of_recipe(RECIPES[name]).items():
        if file.endswith(".py"):
            compile(text, file, "exec")


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_recipe(name, tmp_path):
    for part in COPIED:
        shutil.copytree(
            ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__")
        )
    for part in SINGLE:
        shutil.copy(ROOT / part, tmp_path / part)
    for file, text in texts_of_recipe(RECIPES[name]).items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    commands = [block.text for block in RECIPES[name] if block.language == "bash"]
    assert commands, "a recipe ends with what shows that it worked"
    folder = Path(sys.executable).parent
    for line in "".join(commands).splitlines():
        done = subprocess.run(
            ["bash", "-c", line.replace(".venv/bin/", f"{folder}/")],
            cwd=tmp_path,
            env={
                "PATH": f"{folder}:/usr/bin:/bin",
                "PYTHONPATH": str(tmp_path),
                "HOME": str(tmp_path),
            },
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (
            f"{line}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        )
