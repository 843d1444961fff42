"""The directive ``lift-parameters``: a table of a chapter's parameters."""

from pathlib import Path

from docutils import nodes  # type: ignore[import-untyped]
from docutils.statemachine import StringList  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.parameters import reader
from companion.sphinx.settings import add_settings


class Parameters(SphinxDirective):
    """Renders a table with the name, type, default and meaning of each parameter."""

    def run(self) -> list[nodes.Node]:
        path = Path(self.env.doc2path(self.env.docname))
        lines = ["| parameter | type | default | meaning |", "|---|---|---|---|"]
        for parameter in reader(self.config["companion_parameters"]).read_parameters(path):
            default = repr(parameter.default)
            if len(default) > 48:
                default = f"{default[:30]}, … ({len(parameter.default)} values)"
            cells = (f"`{parameter.name}`", f"`{parameter.annotation}`", f"`{default}`", parameter.comment)
            lines.append(" | ".join(cell.replace("|", r"\|") for cell in cells))  # |S| would end a cell
        box = nodes.container(classes=["lift-parameters"])
        self.state.nested_parse(StringList(lines, source=str(path)), self.content_offset, box)
        return [box]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    add_settings(app, "companion_parameters")
    app.add_directive("lift-parameters", Parameters)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
