"""Kernels that start side by side take nothing from each other."""

import tempfile
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient

from companion.sockets import LocalKernel
from liftbook.chapters import rerun

SMALL = Path(__file__).parents[1] / "fixtures" / "small.md"


def test_ports_that_are_taken_do_not_matter(taken, tmp_path):
    assert rerun(
        str(SMALL), {}, tmp_path / "run", html=False, progress=False
    ).notebook.exists()


def test_a_kernel_that_is_not_there_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(NoSuchKernel):
        LocalKernel(kernel_name="no-such-kernel")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "deep", [False, True], ids=["sockets", "a path too long for sockets"]
)
def test_nothing_is_left_behind(monkeypatch, tmp_path, deep):
    place = tmp_path / ("long" * 30) if deep else Path(tempfile.mkdtemp(dir="/tmp"))
    place.mkdir(exist_ok=True)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    kernel = LocalKernel(kernel_name="python3")
    assert len(list(place.iterdir())) == 1
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("print(1 + 1)")]
    )
    NotebookClient(notebook, km=kernel, timeout=60).execute(cleanup_kc=True)
    assert notebook.cells[0].outputs[0].text == "2\n"
    assert kernel.transport == ("tcp" if deep else "ipc")
    assert not list(place.iterdir())
    place.rmdir()
