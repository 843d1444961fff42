"""A book: its pages, its settings, and what it has published."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from companion.errors import CompanionError
from companion.parameters import (
    PAGE_SUFFIXES,
    Parameter,
    check_values,
    injected_values,
    read_notebook,
    read_parameters,
    suggest,
)
from companion.runs.digests import (
    PUBLISHED,
    data_digest,
    file_digest,
    packages_digest,
    page_digest,
    python_files,
)
from companion.runs.errors import RunError
from companion.runs.folders import RECORD
from companion.runs.kernel import Execution
from companion.runs.layout import configuration, lay_out

OUTPUTS = {"_build", ".venv", "jupyter_execute", "node_modules"}
BOOK_RECORD = "book.json"
MOST_NAMED = 3
"""Number of pages of one name that a message lists."""


def _reopened(kind: type[Book], root: Path, title: str) -> Book:
    """Return a book on another machine, which may not have its folder."""
    book = kind.__new__(kind)
    book.root, book.title = root, title
    return book


class Book:
    """A folder with ``conf.py`` or ``_config.yml``, whose pages can be run.

    Parameters
    ----------
    root : pathlib.Path
        The folder.

    Attributes
    ----------
    distributions : tuple of str
        Names of the distributions whose versions a record states.
    packages : tuple of str
        Names of the book's own packages, whose code counts as what a run executes.
    front_matter : str
        The key of a page's own settings.

    Raises
    ------
    RunError
        If the folder has neither ``conf.py`` nor ``_config.yml``.
    """

    distributions: tuple[str, ...] = ("numpy", "pandas", "matplotlib")
    packages: tuple[str, ...] = ()
    front_matter = "companion"

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        if not self.is_here:
            raise RunError(
                f"no conf.py or _config.yml in {self.root}: run this in the folder of a"
                " book, or name it",
                argument="book",
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (type(self), self.root, self.title)

    @property
    def is_here(self) -> bool:
        """Whether the book's configuration is on this machine, so that a page can be
        laid out.
        """
        return (self.root / "conf.py").is_file() or (
            self.root / "_config.yml"
        ).is_file()

    @cached_property
    def configured(self) -> tuple[dict[str, Any], Path | None]:
        """The settings of Sphinx for one page, and the folder of ``conf.py`` if it has
        others.
        """
        return configuration(self.root)

    @cached_property
    def title(self) -> str:
        """The book's title, as it is cited."""
        settings, _ = self.configured
        return str(settings.get("html_title") or settings.get("project") or "")

    def pages(self) -> list[Path]:
        """Return the sources of all pages."""
        return [
            path
            for suffix in PAGE_SUFFIXES
            for path in sorted(self.root.rglob(f"*{suffix}"))
            if self._is_page(path)
        ]

    def _is_page(self, path: Path) -> bool:
        """Return whether a file is a page's source: a notebook beside a record is the
        output of a run.
        """
        if (
            OUTPUTS & {*path.relative_to(self.root).parts}
            or (path.parent / RECORD).exists()
        ):
            return False
        return path.suffix != ".py" or "\n# %%" in "\n" + path.read_text(
            encoding="utf-8", errors="replace"
        )

    def find(self, name: str) -> Path:
        """Return the source of a page, given its name or its path.

        Raises
        ------
        RunError
            If there is no such page, or several; the message names them, or a similar
            name.
        """
        for path in (Path(name), self.root / name):
            if path.suffix in PAGE_SUFFIXES and path.is_file():
                return path.resolve()
        pages = self.pages()
        bare = name
        for suffix in PAGE_SUFFIXES:
            bare = bare.removesuffix(suffix)
        found = [
            path
            for path in pages
            if path.with_suffix("").as_posix().endswith(f"/{bare}")
        ]
        found = [
            path for path in found if path.with_suffix("") == self.root / bare
        ] or found
        found = [path for path in found if path.suffix == found[0].suffix]
        if not found:
            near = suggest(name, sorted({path.stem for path in pages}))
            raise RunError(f"there is no page {name!r} in {self.root}: {near}")
        if len(found) > 1:
            paths = [path.relative_to(self.root).as_posix() for path in found]
            *first, last = paths[:MOST_NAMED]
            raise RunError(
                f"there are {len(found)} pages {name!r}, such as {', '.join(first)} and"
                f" {last}: name one with its folder"
            )
        return found[0]

    def docname(self, page: Path, address: str = "") -> str:
        """Return a page's name in the book, with its folder.

        A notebook elsewhere has the name of the only page that is called like it; if
        there is none, or there are several, it has no other name than its own, with
        which it is compared to nothing.
        """
        page = page.resolve()
        if page.is_relative_to(self.root):
            return page.relative_to(self.root).with_suffix("").as_posix()
        known = [
            key.removeprefix("doc:")
            for key in self.record(address).get("targets", {})
            if key.startswith("doc:")
        ]
        alike = [name for name in known if name.rpartition("/")[2] == page.stem]
        return alike[0] if len(alike) == 1 else page.stem

    def parameters(self, page: Path) -> list[Parameter]:
        """Return the parameters of a page."""
        return read_parameters(page)

    def check(self, page: Path, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return checked values; a notebook that a run wrote gives those of that run
        too.

        Raises
        ------
        InvalidValue
            At the first invalid value; for a misspelt name the message suggests the
            right one.
        """
        asked = injected_values(page) | dict(values)
        return check_values(self.parameters(page), asked, page.stem)

    def inputs(self, page: Path, values: Mapping[str, Any]) -> dict[str, Path]:
        """Return the files that a page declares: its parameters that name one, and
        ``inputs`` of its front matter.
        """
        declared = (
            read_notebook(page).metadata.get(self.front_matter, {}).get("inputs", [])
        )
        named = [
            one.name
            for one in self.parameters(page)
            if one.is_file and values.get(one.name)
        ]
        files = {name: Path(values[name]) for name in named} | {
            name: page.parent / name for name in declared
        }
        missing = [name for name, path in files.items() if not path.is_file()]
        if missing:
            raise RunError(
                f"{page.name} declares the input {missing[0]!r}, which is no file:"
                " correct its front matter"
            )
        return files

    def package_folders(self) -> dict[str, Path]:
        """Return the folders of the book's packages, as this process would
        import them.
        """
        found = {name: find_spec(name) for name in self.packages}
        return {
            name: Path(next(iter(spec.submodule_search_locations)))
            for name, spec in found.items()
            if spec is not None and spec.submodule_search_locations
        }

    def data(self, _packages: Mapping[str, Path]) -> list[Path]:
        """Return the folders of data that pages read, given the folders of the packages
        that read them.
        """
        return [self.root / "data"] if (self.root / "data").is_dir() else []

    def digests(
        self,
        page: Path,
        values: Mapping[str, Any],
        execution: Execution | None = None,
    ) -> dict[str, Any]:
        """Return the digests of what a run executes: of what its kernel has imported,
        or of what it would.

        They are ``page``, its code; ``code``, the book's packages; ``data``;
        ``others``, further modules by name; and ``inputs``, files by name.
        """
        imported = (
            execution.imported
            if execution is not None and execution.status == "done"
            else {}
        )
        folders = {
            name: Path(folder) for name, folder in imported.get("packages", {}).items()
        }
        folders = folders if imported else self.package_folders()
        files = {name: Path(file) for name, file in imported.get("others", {}).items()}
        return {
            "page": page_digest(read_notebook(page)),
            "code": packages_digest(folders),
            "data": data_digest(self.data(folders)),
            "others": {
                name: file_digest(path)
                for name, path in files.items()
                if path.is_file()
            },
            "inputs": {
                name: file_digest(path)
                for name, path in self.inputs(page, values).items()
            },
        }

    def helpers(self) -> list[Path]:
        """Return the Python files of the book beside its packages, which its pages may
        import.
        """
        return python_files(self.root)

    def built(self, address: str = "") -> Iterable[Path]:
        """Return the folders where the last build may have left its records: at an
        address, here, in a wheel.
        """
        return (
            *([Path(address)] if address else []),
            self.root / "_build" / "html",
            self.root,
        )

    def record(self, address: str = "") -> dict[str, Any]:
        """Return what the last build recorded for reruns, with its ``folder``; empty if
        there was none.
        """
        for folder in self.built(address):
            path = folder / BOOK_RECORD
            if path.is_file():
                record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
                return record | {"folder": str(folder.resolve())}
        return {}

    def published(self, address: str = "") -> dict[str, Any]:
        """Return the digests that the book has published; empty if it has not."""
        for folder in self.built(address):
            path = folder / PUBLISHED
            if path.is_file():
                return dict(json.loads(path.read_text(encoding="utf-8")))
        return {}

    def address(self, given: str) -> str:
        """Return the URL of the book, to which references lead, ending in a slash, or
        "".
        """
        from companion.sphinx.findable import address_of

        if given and Path(given).is_dir():
            return f"{Path(given).resolve().as_uri()}/"
        settings, _ = self.configured
        return address_of(given or str(settings.get("html_baseurl") or ""), "")

    def near(self, page: Path) -> tuple[Path, Path] | None:
        """Return the folders of the book and of a page, whose images and other files
        the run's page then finds.
        """
        return (self.root, page.parent) if page.is_relative_to(self.root) else None

    def lay_out(
        self,
        notebook: Any,
        page: Path,
        folder: Path,
        told: Mapping[str, Any] | None = None,
        address: str = "",
    ) -> list[str]:
        """Write an executed notebook as the page ``NAME.html`` into a folder; return
        Sphinx's warnings.

        ``told`` is the box below the title; ``address`` is the URL or the folder of the
        built book.

        Raises
        ------
        RunError
            If Sphinx cannot lay out the page.
        """
        settings, configured = self.configured
        try:
            return lay_out(
                *(notebook, page.stem, folder, settings),
                record=self.record(address),
                address=self.address(address),
                told=told,
                docname=self.docname(page, address),
                configured=configured,
                near=self.near(page),
            )
        except CompanionError as error:
            raise RunError(str(error)) from error
