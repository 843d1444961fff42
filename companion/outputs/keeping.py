"""Tables that a page marks as its results."""

from __future__ import annotations

import json
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from companion.errors import InvalidValue

if TYPE_CHECKING:
    import pandas as pd

MIME_PREFIX = "application/papermill.record/"
"""Precedes the MIME type of what a page holds for its text, or keeps."""
KEPT = f"{MIME_PREFIX}application/vnd.liftlib.rows+json"
"""The MIME type of a table that a page keeps."""


def keep(name: str, table: pd.DataFrame) -> None:
    """Mark a table as a result of the page, which does not show it.

    A run writes it to ``name.csv`` in its folder. If papermill writes a notebook
    ``OUT.ipynb``, the table goes to ``OUT.name.csv`` next to it.

    Parameters
    ----------
    name : str
        The name of the table: lower-case letters, digits and _.
    table : pandas.DataFrame
        The result.

    Raises
    ------
    InvalidValue
        If the name has other characters.
    """
    from IPython.display import display

    if not re.fullmatch(r"[a-z0-9_]+", name):
        raise InvalidValue(
            f"the table's name is {name!r}: use lower-case letters, digits and _"
        )
    body = json.loads(table.to_json(orient="split", index=False, double_precision=15))
    data = {KEPT: {"columns": body["columns"], "rows": body["data"]}}
    # the form in which glue records a value: the book's renderer reads it and leaves it
    # out of the page
    display(
        data,
        metadata={"scrapbook": {"name": name, "mime_prefix": MIME_PREFIX}},
        raw=True,
    )
    output = papermill_output()
    if output is not None:
        table.to_csv(output.with_name(f"{output.stem}.{name}.csv"), index=False)


def papermill_output() -> Path | None:
    """Return the path of papermill's output notebook for this kernel, or None.

    The path is the parameter ``PAPERMILL_OUTPUT_PATH`` (papermill's
    ``--inject-output-path``), or else taken from the command line that started the
    kernel.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None:
        return None
    named, folder = shell.user_ns.get("PAPERMILL_OUTPUT_PATH"), Path.cwd()
    if named is None and "JPY_PARENT_PID" in os.environ:
        named, folder = _of_command(int(os.environ["JPY_PARENT_PID"]))
    # standard output, elsewhere, a template
    if not named or named == "-" or "://" in named or "{" in named:
        return None
    return folder / str(named)


@cache
def _of_command(process: int) -> tuple[str, Path]:
    """Return a process's papermill output ("" if none) and its working directory."""
    import psutil  # ipykernel needs it, the browser has neither

    try:
        started = psutil.Process(process)
        words, folder = started.cmdline(), Path(started.cwd())
    except psutil.Error:  # it has ended, or is another user's
        return "", Path()
    at = next(
        (
            at
            for at, word in enumerate(words[:4])
            if Path(word).stem == "papermill" or _is_main(word)
        ),
        None,
    )
    if at is None:
        return "", folder
    from papermill.cli import papermill

    return (
        str(
            papermill.make_context(
                "papermill", words[at + 1 :], resilient_parsing=True
            ).params["output_path"]
        ),
        folder,
    )


def _is_main(word: str) -> bool:
    return Path(word).parts[-2:] == ("papermill", "__main__.py")
