"""Fold set-up, parameters, checks, long cells and proofs."""

import ast
from typing import Any

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_proof.nodes import proof_node  # type: ignore[import-untyped]

MAX_LINES = 12  # a cell with more lines of code than this is folded
PLUMBING = {"keep", "glue"}  # functions that store rows and numbers for other pages; a page does not show calls of them


def reason(source: str, tags: list[str]) -> str | None:
    """Return the label of a cell's fold, or None if the cell stays open.

    >>> reason("import numpy as np", [])
    'Set-up'
    >>> reason("for p in joints:\\n    assert p.sum() == 1", [])
    'The check, in code'
    >>> reason("channel = watchdog(joint, notion)", [])
    """
    if "parameters" in tags:
        return "Parameters, and what they may be"
    if "open" in tags:
        return None
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a line for the shell
        return None
    if any(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body):
        return "Set-up"
    if any(isinstance(node, ast.Assert) for node in ast.walk(tree)):
        return "The check, in code"
    return "The code" if len(source.splitlines()) > MAX_LINES else None


def without_plumbing(source: str) -> str:
    """Return a cell's code without statements that only store results.

    >>> without_plumbing("rows = run()\\nkeep('figure', rows)\\nplot(rows)")
    'rows = run()\\nplot(rows)'
    """
    try:
        body = ast.parse(source).body
    except SyntaxError:  # a line for the shell
        return source
    lines: list[str | None] = list(source.split("\n"))
    for statement in body:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Name(id=name))) if name in PLUMBING:
                lines[statement.lineno - 1 : statement.end_lineno] = [None] * (
                    (statement.end_lineno or statement.lineno) - statement.lineno + 1
                )
    return "\n".join(line for line in lines if line is not None).strip("\n")


class Fold(SphinxPostTransform):
    """Marks the cells to fold, before MyST-NB folds marked cells."""

    default_priority = 60
    formats = ("html",)

    def run(self, **_options: Any) -> None:
        """Mark cells, and wrap proofs."""
        for cell in self.document.findall(nodes.container):
            has_prompt = "code_prompt_show" in cell.get("cell_metadata", {}).get("mystnb", {})
            if cell.get("nb_element") != "cell_code" or cell.get("hide_mode") not in (None, "input") or has_prompt:
                continue
            inputs = [part for part in cell.children if part.get("nb_element") == "cell_code_source"]
            source = next((code for part in inputs for code in part.findall(nodes.literal_block)), None)
            tags = cell["cell_metadata"].get("tags", [])
            said = None
            if source is not None:
                shown = without_plumbing(source.astext())
                source[:] = [nodes.Text(shown)]
                source.rawsource = shown
                said = reason(shown, tags)
            if said := said or ("The code" if cell.get("hide_mode") else None):
                cell["hide_mode"] = "input"
                cell["prompt_show"] = said
                cell["prompt_hide"] = said
        for proof in list(self.document.findall(proof_node)):
            opened = nodes.raw("", '<details class="lift-proof"><summary>Proof</summary>', format="html")
            proof.replace_self([opened, proof, nodes.raw("", "</details>", format="html")])


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.add_post_transform(Fold)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
