"""Execute a page in a kernel, and read back the values that its parameters had."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.parameters import Parameter, ask_for_values, read_notebook, take_values


def execute(
    page: Path, written: Path, values: Mapping[str, Any], parameters: Sequence[Parameter], **options: Any
) -> tuple[Any, dict[str, Any], str]:
    """Execute a page with other values, write what ran to ``written``, and say how it ended.

    Parameters
    ----------
    page : pathlib.Path
        The page, in whose folder it runs.
    written : pathlib.Path
        The notebook to write, with the outputs up to a failure.
    values : mapping
        Checked values of some of the parameters.
    parameters : sequence of Parameter
        The page's parameters.
    **options
        Options of papermill, such as ``execution_timeout``.

    Returns
    -------
    notebook : nbformat.NotebookNode
        What is written.
    ran : dict
        The value of each parameter in the kernel.
    failure : str
        Which cell failed, or to which parameter one assigned; empty if none did.
    """
    import nbformat

    notebook, ran = read_notebook(page), {one.name: one.default for one in parameters} | dict(values)
    # the path of a file may become absolute
    ask_for_values(notebook, [one.name for one in parameters if not one.is_file])
    nbformat.write(notebook, written)
    failure = _in_kernel(written, page, values, **options)
    notebook = nbformat.read(written, as_version=4)
    try:
        ran |= take_values(notebook, ran, page.stem)
    except ValueError as error:
        failure = str(error)
    nbformat.write(notebook, written)
    return notebook, ran, failure


def _in_kernel(written: Path, page: Path, values: Mapping[str, Any], **options: Any) -> str:
    """Execute a notebook in place, in its page's folder; return the failure, or ""."""
    import papermill
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient.exceptions import DeadKernelError

    from companion.sockets import LocalKernel

    # papermill warns about lines of the parameters cell that it cannot parse; they are checked by now
    notes = logging.getLogger("papermill")
    before = notes.level
    notes.setLevel(logging.ERROR)
    try:
        papermill.execute_notebook(
            *(written, written, values),
            cwd=page.parent,
            log_output=False,
            kernel_manager_class=LocalKernel,
            **{"progress_bar": False, **options},
        )
    except papermill.PapermillExecutionError as error:
        line = next((line for line in error.source.splitlines() if line.strip()), "")
        return (
            f"cell {error.cell_index} of {page.stem}, which begins {line!r}, failed with {error.ename}: {error.evalue}"
        )
    except TimeoutError:
        return f"a cell of {page.stem} took longer than {options['execution_timeout']} s: raise the timeout"
    except DeadKernelError:
        return f"the kernel of {page.stem} died{_at(written)}: was there too little memory, or did a library crash?"
    except NoSuchKernel:  # nothing has run
        raise
    except Exception as error:  # noqa: BLE001 - whatever ends one run must not end the runs beside it
        return f"the run of {page.stem} ended with {type(error).__name__}{_at(written)}: {error}"
    finally:
        notes.setLevel(before)  # the logger belongs to the caller
    return ""


def _at(written: Path) -> str:
    """Return the cell at which papermill's notebook ended, in words, or ""."""
    import nbformat

    cells = nbformat.read(written, as_version=4).cells
    states = [cell.metadata.get("papermill", {}).get("status") for cell in cells]
    for number, (cell, state) in enumerate(zip(cells, states, strict=True)):
        if cell.cell_type == "code" and state in ("running", "failed"):
            return f" in cell {number}, which begins {cell.source.strip().partition(chr(10))[0]!r}"
    return ""
