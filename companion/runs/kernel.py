"""Execute a page in a kernel of its own, and say how that ended."""

from __future__ import annotations

import ast
import json
import os
import reprlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from companion.parameters import Parameter, constant, literal_text, read_notebook
from companion.runs.errors import RunError

Status = Literal["done", "failed", "died", "timed out", "refused", "interrupted"]
FIGURE_FORMATS = [f"--InlineBackend.figure_formats={one}" for one in ("png", "svg")]
"""Options of the kernel for figures as both PNG and SVG."""
FIRST_LINES = (
    # where IPython puts the page's folder unless the path is safe: the standard library
    # comes before it
    (
        "__import__('sys').path.insert(min((at for at, one in"
        " enumerate(__import__('sys').path) if one.endswith(('site-packages',"
        " 'dist-packages'))), default=0), '')"
    ),
    # the path of programs that the page starts is their own
    "__import__('os').environ.pop('PYTHONSAFEPATH') and None",
)
"""What a kernel runs first; the page sees no name of it."""
UNSEEN = ("PYTHONSTARTUP", "IPYTHONDIR")
"""Variables of the environment that would run a reader's own files first."""


@dataclass(frozen=True)
class Limits:
    """What a run may take: seconds of each cell, and bytes of the kernel's memory; None
    is no limit.
    """

    cell_seconds: int | None = None
    memory: int | None = None


@dataclass(frozen=True)
class Execution:
    """How a page's execution ended.

    Attributes
    ----------
    notebook : nbformat.NotebookNode
        The page with its outputs, up to where it ended.
    values : dict
        The value of each parameter in the kernel.
    status, message
        How it ended, and why if it is not "done".
    imported : mapping
        From the kernel: ``packages``, the folders of the book's packages by name, and
        ``others``, the files of further modules that no distribution installed, by
        module. Empty if the page is not done.
    """

    notebook: Any
    values: dict[str, Any]
    status: Status
    message: str = ""
    imported: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


# It is the last cell. What it needs it imports itself, as the kernel may have none of
# our packages
QUESTION = """
def _companion_asks(names, packages, variables):
    import importlib.util, json, os, site, sys, sysconfig
    values = {name: repr(variables.get(name)) for name in names}
    folders = {}
    for name in packages:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations:
            folders[name] = os.path.abspath(list(spec.submodule_search_locations)[0])
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    places = [sysconfig.get_path(kind) for kind in kinds]
    places += [*site.getsitepackages(), site.getusersitepackages(), *folders.values()]
    installed = tuple(os.path.join(os.path.realpath(place), "") for place in places)
    others = {}
    for name, module in list(sys.modules.items()):
        file = vars(module).get("__file__") if type(module) is type(sys) else None
        if not file or name == "__main__":
            continue
        is_installed = os.path.realpath(file).startswith(installed)
        if not is_installed or name in ("sitecustomize", "usercustomize"):
            others[name] = os.path.abspath(file)
    return json.dumps({"values": values, "packages": folders, "others": others})
_companion_asks"""


def execute(
    page: Path,
    values: Mapping[str, Any],
    parameters: Sequence[Parameter],
    *,
    packages: Sequence[str] = (),
    limits: Limits = Limits(),
    kernel: str = "python3",
    progress: bool = False,
) -> Execution:
    """Execute a page with other values, in its folder, and say how it ended.

    Parameters
    ----------
    page : pathlib.Path
        The page, in whose folder it runs.
    values : mapping
        Checked values of some of the parameters.
    parameters : sequence of Parameter
        The page's parameters.
    packages : sequence of str, keyword-only
        Names of the book's own packages, whose folders the kernel is asked for.

    Raises
    ------
    RunError
        If there is no such kernel. Whatever happens from then on is a status.
    """
    import nbformat

    notebook, ran = (
        read_notebook(page),
        {one.name: one.default for one in parameters} | dict(values),
    )
    _inject(notebook, values)
    # the path of a file may become absolute
    names = [one.name for one in parameters if not one.is_file]
    question = f"{QUESTION}({names!r}, {list(packages)!r}, globals())"
    _append(notebook, nbformat.v4.new_code_cell(question))
    status, message = _in_kernel(notebook, page, kernel, limits, progress)
    answer = _answer(notebook.cells.pop())
    if status == "done":
        for name, shown in answer["values"].items():
            value = _read(shown)
            # a number that is not finite has no literal
            if value != ran[name] and shown != repr(ran[name]):
                status, message = "failed", _assigned(page, name, ran[name], shown)
            ran[name] = ran[name] if value is None else value
    return Execution(
        notebook,
        ran,
        status,
        message,
        {key: answer.get(key, {}) for key in ("packages", "others")},
    )


def _inject(notebook: Any, values: Mapping[str, Any]) -> None:
    """Insert a cell with the values below the parameters, as papermill does."""
    import nbformat

    if not values:
        return
    lines = [
        "# Parameters",
        *(f"{name} = {literal_text(value)}" for name, value in values.items()),
    ]
    cell = nbformat.v4.new_code_cell(
        "\n".join(lines) + "\n", metadata={"tags": ["injected-parameters"]}
    )
    tags = [one.metadata.get("tags", []) for one in notebook.cells]
    place = next(
        (number + 1 for number, one in enumerate(tags) if "parameters" in one), 0
    )
    _append(notebook, cell, place)


def _append(notebook: Any, cell: Any, place: int | None = None) -> None:
    if (notebook.nbformat, notebook.nbformat_minor) < (4, 5):  # which has no ids
        del cell["id"]
    notebook.cells.insert(len(notebook.cells) if place is None else place, cell)


def _answer(cell: Any) -> dict[str, Any]:
    """Return what the last cell says, which is nothing if an earlier one failed."""
    shown = [
        output.data["text/plain"]
        for output in cell.get("outputs", [])
        if "data" in output
    ]
    answer: dict[str, Any] = (
        json.loads(ast.literal_eval(shown[0])) if shown else {"values": {}}
    )
    return answer


def _read(shown: str) -> Any:
    try:
        return constant(shown)
    except ValueError:
        return None


def _assigned(page: Path, name: str, was: Any, shown: str) -> str:
    is_now = shown if len(shown) < 40 else "another value"
    return (
        f"{page.stem} assigns to its parameter {name!r}, which was {reprlib.repr(was)}"
        f" and is {is_now} after the run: give the variable in that cell another name"
    )


def _in_kernel(
    notebook: Any, page: Path, kernel: str, limits: Limits, progress: bool
) -> tuple[Status, str]:
    """Execute a notebook in place, in its page's folder; return how it ended, and why
    if it is not done.
    """
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import (
        CellExecutionError,
        CellTimeoutError,
        DeadKernelError,
    )

    from companion.sockets import LocalKernel

    at = {"number": 0, "line": ""}
    with (
        tempfile.TemporaryDirectory(prefix="ipython-") as empty,
        _bar(len(notebook.cells), progress) as advance,
    ):

        def begin(cell: Any, cell_index: int) -> None:
            at.update(
                number=cell_index,
                line=next((one for one in cell.source.splitlines() if one.strip()), ""),
            )

        try:
            manager = LocalKernel(kernel_name=kernel)
        except NoSuchKernel as error:
            raise RunError(
                f"no kernel {kernel!r}: `jupyter kernelspec list` lists the installed"
                " kernels"
            ) from error
        client = NotebookClient(
            notebook,
            km=manager,
            timeout=limits.cell_seconds,
            resources={"metadata": {"path": str(page.parent)}},
            extra_arguments=_arguments(limits),
            on_cell_execute=begin,
            on_cell_executed=lambda **_: advance(),
        )
        try:
            client.reset_execution_trackers()
            # not client.execute, which answers Ctrl-C by ending the kernel, as if it
            # had died
            with client.setup_kernel(env=_environment(empty), cleanup_kc=True):
                for number, cell in enumerate(notebook.cells):
                    client.execute_cell(cell, number)
        except CellExecutionError as error:
            return (
                "failed",
                f"{_cell(at, page)} failed with {error.ename}: {error.evalue}",
            )
        except CellTimeoutError:
            return (
                "timed out",
                (
                    f"{_cell(at, page)} took longer than {limits.cell_seconds} s: raise"
                    " the timeout"
                ),
            )
        except DeadKernelError:
            return (
                "died",
                (
                    f"the kernel died in {_cell(at, page)}: was there too little"
                    " memory, or did a library crash?"
                ),
            )
        except KeyboardInterrupt:
            return "interrupted", f"stopped in {_cell(at, page)}"
        except Exception as error:  # noqa: BLE001 - other runs go on
            return (
                "failed",
                f"{_cell(at, page)} ended with {type(error).__name__}: {error}",
            )
    return "done", ""


@contextmanager
def _bar(n_cells: int, progress: bool) -> Iterator[Callable[[], object]]:
    """Yield what moves the progress bar by one cell.

    Without a bar there is no ``tqdm``: even one that shows nothing takes a semaphore,
    which a worker that is killed would leave behind.
    """
    if not progress:
        yield lambda: None
        return
    from tqdm import tqdm

    with tqdm(total=n_cells, unit="cell") as bar:
        yield bar.update


def _cell(at: Mapping[str, Any], page: Path) -> str:
    return f"cell {at['number']} of {page.stem}, which begins {at['line']!r},"


def _arguments(limits: Limits) -> list[str]:
    """Return options of the kernel: the first lines that it runs, figures in two
    formats, and no notes of its own.
    """
    lines = list(FIRST_LINES)
    if limits.memory is not None:
        lines.append(
            "__import__('resource').setrlimit(__import__('resource').RLIMIT_DATA,"
            f" ({limits.memory},) * 2)"
        )
    return [
        *FIGURE_FORMATS,
        "--log-level=CRITICAL",
        *(f"--IPKernelApp.exec_lines={line}" for line in lines),
    ]


def _environment(empty: str) -> dict[str, str]:
    """Return the kernel's environment: nothing of the reader's runs before the page.

    A file ``types.py`` beside the page would end the kernel before it starts;
    ``FIRST_LINES`` puts that folder back.
    """
    kept = {name: value for name, value in os.environ.items() if name not in UNSEEN}
    return kept | {"IPYTHONDIR": empty, "PYTHONSAFEPATH": "1"}
