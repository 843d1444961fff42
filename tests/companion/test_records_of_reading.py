"""The record of what a chapter reads."""

import json
import subprocess
import sys

from companion.reading import note


def test_the_kernel_of_a_killed_build_does_not_write_into_the_next_record(tmp_path):
    project, record = tmp_path / "project", tmp_path / "record.json"
    project.mkdir()
    read = project / "a.txt"
    read.write_text("a")
    code = (
        f"from companion.reading import watch; watch({str(record)!r},"
        f" {str(project)!r}); open({str(read)!r})"
    )
    with record.open("w") as orphan:
        subprocess.run([sys.executable, "-c", code], check=True)
        orphan.write("no record\n" * 1000)
    note(record, project, [])
    assert list(json.loads(record.read_text())) == ["open a.txt"]
