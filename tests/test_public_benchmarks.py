"""The public benchmark set: what is stored agrees, and submissions are checked."""

import gzip
import json

import pandas as pd
import pytest

from benchmarks import public
from liftlib.exact import NotProven

STORED = pd.read_csv(public.FOLDER / "index.csv").set_index("instance")
SMALL = [
    "people-2x3-lip-1",
    "adult-income-race-ldp-1",
    "uniform-3x8-lip-0.5",
    "skewed-2x10-ldp-1",
    "equal-3x3-lip-1",
    "groups-3x9-ldp-1",
]


def test_what_is_stored_is_one_set():
    assert list(STORED.index) == [name for name, *_ in public.instances()]
    files = {file.name for file in (public.FOLDER / "proofs").iterdir()}
    assert files == set(STORED["proof"].dropna())
    assert (STORED["bound"] >= STORED["value"] - public.ROUNDING_TOL).all()
    page = (public.FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"| {name} |" in page for name in STORED.index)
    assert (
        f"{len(STORED)} instances of {len(public.JOINTS) + len(public.LARGE)} joint"
        " distributions" in page
    )


@pytest.mark.parametrize("name", SMALL)
def test_a_stored_proof_is_valid(name):
    found, value, bound = public.validate(public.FOLDER / "proofs" / f"{name}.json.gz")
    assert found == name
    assert value == pytest.approx(STORED["value"][name], abs=public.ROUNDING_TOL)
    assert bound == pytest.approx(STORED["bound"][name], abs=public.ROUNDING_TOL)


@pytest.mark.parametrize("field", ["upper", "joint", "notion", "channel"])
def test_a_changed_submission_is_rejected(field, tmp_path):
    problem = json.loads(
        gzip.decompress(
            (public.FOLDER / "proofs" / "people-2x3-lip-1.json.gz").read_bytes()
        )
    )
    if field == "upper":
        problem["proof"]["upper"] = 1.0
    elif field == "joint":
        problem["joint"] = problem["joint"][::-1]
    elif field == "notion":
        problem["notion"]["eps"] = 0.9
    else:
        problem["channel"] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    (tmp_path / "submission.json").write_text(json.dumps(problem), encoding="utf-8")
    with pytest.raises(NotProven):
        public.validate(tmp_path / "submission.json")
