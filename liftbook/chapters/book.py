"""The book as the engine of runs knows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from companion.runs.book import Book
from companion.runs.layout import configuration
from liftbook.chapters.parameters import chapters, chapters_folder, find_chapter
from liftbook.chapters.stamp import STAMPED_PACKAGES

FOR_REFERENCES = (
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
)
"""Extensions for the pages on the library."""
OF_THOSE = ("autodoc_", "napoleon_", "companion_package", "companion_picture")
"""Prefixes of their settings."""
LABELLED = re.compile(r"\{prf:(\w+)\}.*\n:label: (\S+)")


class LiftBook(Book):
    """The book's chapters, in its repository or in the wheel."""

    distributions = STAMPED_PACKAGES
    packages = ("mixproof", "liftlib", "lifttables", "liftbook", "companion")
    front_matter = "lift"

    def __init__(self) -> None:
        super().__init__(chapters_folder().parent)

    def __reduce__(self) -> tuple[Any, ...]:
        return LiftBook, ()

    @cached_property
    def title(self) -> str:
        """The book's title, as it is cited."""
        return "Lift: a reproducible companion"

    def pages(self) -> list[Path]:
        """Return the chapters that have parameters."""
        return list(chapters().values())

    def find(self, name: str) -> Path:
        """Return the path of a chapter, given its name or a path; see
        :func:`find_chapter`.
        """
        return find_chapter(name)

    def data(self, _packages: Mapping[str, Path]) -> list[Path]:
        """Return the folder of data that the kernel's liftlib reads; see
        :func:`liftlib.resources.resource`.
        """
        library = _packages["liftlib"]
        places = [place / "data" for place in (library / "_resources", library.parent)]
        return [place for place in places if place.is_dir()][:1]

    def helpers(self) -> list[Path]:
        """Return the modules that chapters may import beside the packages: none."""
        return []

    @cached_property
    def configured(self) -> tuple[dict[str, Any], Path | None]:
        """The book's Sphinx settings, without those for the whole site."""
        config, _ = configuration(self.root)
        config = {
            key: value for key, value in config.items() if not key.startswith(OF_THOSE)
        }
        config["extensions"] = [
            name for name in config["extensions"] if name not in FOR_REFERENCES
        ]
        settings = config | {
            "exclude_patterns": [],
            # there is no index to search
            "html_sidebars": {"**": ["navbar-logo.html", "sbt-sidebar-nav.html"]},
            "html_show_sourcelink": False,
            "html_domain_indices": False,
        }
        return settings, None

    def record(self, address: str = "") -> dict[str, Any]:
        """Return the last build's record for reruns, or else one made from
        the sources.
        """
        return super().record(address) or {"targets": dict(self._targets())}

    def _targets(self) -> Iterable[tuple[str, list[str]]]:
        for path in sorted(chapters_folder().glob("*.md")):
            text, page = path.read_text(encoding="utf-8"), f"chapters/{path.stem}.html"
            title = next(
                line[2:].strip() for line in text.splitlines() if line.startswith("# ")
            )
            yield f"doc:chapters/{path.stem}", [page, title]
            for kind, label in LABELLED.findall(text):
                yield f"prf:{label}", [f"{page}#{label}", f"the {kind} in “{title}”"]

    def lay_out(
        self,
        notebook: Any,
        page: Path,
        folder: Path,
        told: Mapping[str, Any] | None = None,
        address: str = "",
    ) -> list[str]:
        """Write an executed chapter as a page, with its bibliography at the end; see
        :meth:`Book.lay_out`.
        """
        import nbformat  # noqa: PLC0415 - only pages need it

        shown = nbformat.from_dict(notebook)
        if any(
            "{cite" in cell.source
            for cell in shown.cells
            if cell.cell_type == "markdown"
        ):
            works = (
                "## References\n\n```{bibliography}\n:filter: docname in docnames\n```"
            )
            shown.cells.append(nbformat.v4.new_markdown_cell(works))
        return super().lay_out(shown, page, folder, told, address)

    def near(self, _page: Path) -> tuple[Path, Path] | None:
        """Return the folders whose files a page finds beside it: a chapter's images are
        made by its cells.
        """
        return None
