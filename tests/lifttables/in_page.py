"""Audits and releases in the Python of the page, for test_page_releases.

Node runs this file in Pyodide. ``/in`` has the runtime's files, ``/out`` the library
and the tables; the answers go to a file there, because Node holds a pipe back.
"""

import importlib
import json
import os
import sys
import sysconfig
import zipfile
from pathlib import Path

OUT = Path("/out")


def unpack():
    """Put the packages and the book's library where Python finds them."""
    for wheel in Path("/in").glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(sysconfig.get_path("purelib"))
    with zipfile.ZipFile(OUT / "lift.zip") as archive:
        archive.extractall("/book")
    sys.path.insert(0, "/book")
    importlib.invalidate_caches()


def answer():
    """Write what the worker's calls say about each table."""
    unpack()
    os.environ.update(json.loads((OUT / "environment.json").read_text()))
    from liftbook.alive import calls

    calls.start()
    answers = []
    for text, asked in json.loads((OUT / "cases.json").read_text()):
        calls.open_table(json.dumps({"name": "t.csv"}), None, text.encode())
        told = [
            json.loads(call(json.dumps(asked), None, None))
            for call in (calls.audit, calls.release)
        ]
        answers.append(told)
    (OUT / "answers.json").write_text(json.dumps(answers))
