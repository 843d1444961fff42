"""A channel's file is read as it was written, or refused."""

import pytest
from messages import raised

import lifttables as tables
from liftlib.errors import DataError


@pytest.mark.parametrize("content", ["{", "{}", '{"format": "liftlib design 9"}'])
def test_other_files(tmp_path, content):
    (tmp_path / "c.json").write_text(content)
    with raised(DataError):
        tables.load(tmp_path / "c.json")
