"""A channel's file is read as it was written, or refused."""

import pytest

import lifttables as tables
from liftlib.errors import DataError


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is no design that `lift release` wrote"),
        (
            "{}",
            (
                "is no design that `lift release` wrote: a part with the name 'format'"
                " is missing"
            ),
        ),
        (
            '{"format": "liftlib design 9"}',
            "has the format 'liftlib design 9', not 'liftlib design 6'",
        ),
    ],
)
def test_other_files(tmp_path, content, message):
    (tmp_path / "c.json").write_text(content)
    with pytest.raises(DataError, match=message):
        tables.load(tmp_path / "c.json")
