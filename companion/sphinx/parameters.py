"""The directive ``companion-parameters``: a table of a chapter's parameters, and how
long a run takes.
"""

from pathlib import Path

from docutils import nodes  # type: ignore[import-untyped]
from docutils.statemachine import StringList  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.parameters import literal, read_parameters
from companion.sphinx.alive import seconds_of


class Parameters(SphinxDirective):
    """Renders a table with the name, type, default and meaning of each parameter, and
    on a rerun's page its value.

    The book's page also says how long its cells took when they were executed last.
    """

    def run(self) -> list[nodes.Node]:
        path, told = (
            Path(self.env.doc2path(self.env.docname)),
            self.config["companion_rerun"].get("told") or {},
        )
        changed = {name: (here, book) for name, here, book in told.get("changed", [])}
        named = (
            "parameter",
            "type",
            "default",
            *(["this run"] if told else []),
            "meaning",
        )
        lines = [" | ".join(named), "|".join("---" for _ in named)]
        for parameter in read_parameters(path):
            # the cell of a rerun's page assigns what ran
            here, default = changed.get(
                parameter.name, (repr(parameter.default), repr(parameter.default))
            )
            values = [
                f"`{shortened(text)}`"
                for text in ([default, here] if told else [default])
            ]
            cells = (
                f"`{parameter.name}`",
                f"`{parameter.annotation}`",
                *values,
                parameter.comment,
            )
            # |S| would end a cell
            lines.append(" | ".join(cell.replace("|", r"\|") for cell in cells))
        box = nodes.container(classes=["companion-parameters"])
        if (
            not told
            and "preview" not in path.parts
            and (seconds := seconds_of(self.env.app, path))
        ):
            lines += [
                "",
                (
                    "With the book's values, all cells of this page take"
                    f" {duration(seconds)}."
                ),
            ]
        self.state.nested_parse(
            StringList(lines, source=str(path)), self.content_offset, box
        )
        return [box]


def duration(seconds: float) -> str:
    """Return about how long a run takes.

    >>> duration(0.4), duration(7.9), duration(63.2), duration(250.0)
    ('less than 5 seconds', 'about 10 seconds', 'about a minute', 'about 4 minutes')
    """
    if seconds < 5:
        return "less than 5 seconds"
    if seconds < 50:
        return f"about {10 * max(1, round(seconds / 10))} seconds"
    minutes = max(1, round(seconds / 60))
    return "about a minute" if minutes == 1 else f"about {minutes} minutes"


def shortened(text: str) -> str:
    """Return a literal's text, or its beginning and the number of its values.

    >>> shortened("[1, 2]"), shortened(repr(list(range(20))))
    ('[1, 2]', '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … (20 values)')
    """
    if len(text) <= 48:
        return text
    value = literal(text)
    return f"{text[:30].rstrip(', ')}, …" + (
        f" ({len(value)} values)" if isinstance(value, list | tuple) else ""
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("companion-parameters", Parameters)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
