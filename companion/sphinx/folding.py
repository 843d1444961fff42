"""Leave out of the shown code what only stores results, and fold proofs."""

import ast
from typing import Any

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_proof.nodes import proof_node  # type: ignore[import-untyped]

# functions that store rows and numbers for other pages; a page does not show calls of
# them
PLUMBING = {"keep", "glue"}


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
    """Shortens code before it is highlighted, and wraps proofs."""

    default_priority = 60
    formats = ("html",)

    def run(self, **_options: Any) -> None:
        """Shorten code, and wrap proofs."""
        for part in self.document.findall(nodes.container):
            for code in (
                part.findall(nodes.literal_block)
                if part.get("nb_element") == "cell_code_source"
                else ()
            ):
                shown = without_plumbing(code.astext())
                code[:] = [nodes.Text(shown)]
                code.rawsource = shown
        for proof in list(self.document.findall(proof_node)):
            opened = nodes.raw(
                "",
                '<details class="companion-proof"><summary>Proof</summary>',
                format="html",
            )
            proof.replace_self(
                [opened, proof, nodes.raw("", "</details>", format="html")]
            )


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.add_post_transform(Fold)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
