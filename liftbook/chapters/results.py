"""What a chapter says of its results: tables to keep, numbers for its text, sentences
that may not hold.
"""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from companion.errors import InvalidValue
from companion.runs.results import MIME_PREFIX, ROWS_MIME
from liftlib.errors import LiftWarning

__all__ = ["expect", "glue", "keep"]


def keep(name: str, table: pd.DataFrame) -> None:
    """Mark a table as a result of the chapter; the page does not show it.

    ``liftbook rerun`` writes it to ``name.csv`` in the run's folder. If papermill
    writes a notebook ``OUT.ipynb``, the table goes to ``OUT.name.csv`` next to it.

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
    from IPython.display import display  # noqa: PLC0415

    if not re.fullmatch(r"[a-z0-9_]+", name):
        raise InvalidValue(
            f"the table's name is {name!r}: use lower-case letters, digits and _"
        )
    body = json.loads(table.to_json(orient="split", index=False, double_precision=15))
    rows = {
        "columns": body["columns"],
        "rows": body["data"],
        "seconds": table.attrs.get("seconds"),
    }
    data = {MIME_PREFIX + ROWS_MIME: rows}
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


def glue(name: str, value: Any, display: bool = True) -> None:
    """Hold a value for the text, with MyST-NB's ``glue``; a notebook without MyST-NB
    has no such text.
    """
    try:
        # Sphinx, which a downloaded notebook does without
        from myst_nb import (  # type: ignore[import-untyped]  # noqa: PLC0415
            glue as hold,
        )
    except ModuleNotFoundError:
        if display:
            from IPython.display import display as show  # noqa: PLC0415

            show(value)
    else:
        hold(name, value, display)


def expect(holds: bool, sentence: str) -> None:
    """Warn where a sentence of the page, observed at the book's parameters, does not
    hold at the reader's.

    A chapter asserts what a theorem says of all parameters. The book's build refuses a
    page with a warning.
    """
    if not holds:
        warnings.warn(
            f"at these parameters it is not so that {sentence}",
            LiftWarning,
            stacklevel=2,
        )


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
    import psutil  # noqa: PLC0415 - ipykernel needs it, the browser has neither

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
    from papermill.cli import papermill  # noqa: PLC0415

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
