"""The page's table tool releases tables as the command does: the same rows, the same
card, the same refusal.

Forty tables are released by the command, by the object that the page calls, and by the
same object in the page's own Python (Pyodide, in Node), ten tables a process.
"""

import contextlib
import io
import json
import math
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from liftbook.alive.table import Desk, command, question_of, reading_of
from lifttables.cli import main

ROOT = Path(__file__).parents[3]
ALIVE = ROOT / "_build" / "html" / "_static" / "alive"
SCRIPT = Path(__file__).with_name("release_in_page.mjs")
GROUPS, TABLES_PER_GROUP = 4, 10
KEY = bytes(32)
# what the page cannot know, and what differs from run to run
OF_ONE_RUN = {"made", "digest", "tells"}
OF_LEDGER = {"LEDGER", "NO_LEDGER"}
KINDS = (
    "plain",
    "rare values",
    "missing, refused",
    "missing, dropped",
    "missing, a symbol",
    "constant secret",
    "constant column",
    "numbers in bins",
    "numbers as codes",
    "two columns",
)


class Case(NamedTuple):
    """A table as CSV, and what the page's form asks of it."""

    text: str
    asked: dict


def case_of(number):
    """Draw a table of a kind, of 50 to 5,000 rows."""
    rng = np.random.default_rng([66, number])
    kind = KINDS[number % len(KINDS)]
    n = round(math.exp(rng.uniform(math.log(50), math.log(5000))))
    n_secret, n_public = (int(rng.integers(2, most)) for most in (5, 8))
    given = rng.dirichlet(np.full(n_public, 4.0), n_secret)
    s = rng.integers(0, n_secret, n)
    x = (rng.random(n)[:, None] > given.cumsum(axis=1)[s]).sum(axis=1)
    secrets = [f"s{at}" for at in s]
    values = [f"town {at}" for at in np.minimum(x, n_public - 1)]
    public = {"name": "x"}
    columns = [public]
    others = ["-"] * n
    asked = {"missing": "refuse"}
    if kind == "rare values":
        values[:3] = ["village 1", "village 2", "village 2"]
    elif kind.startswith("missing"):
        values[:9] = [""] * 9
        how = {"dropped": "drop", "a symbol": "symbol", "refused": "refuse"}
        asked["missing"] = how[kind.partition(", ")[2]]
    elif kind == "constant secret":
        secrets = ["s0"] * n
    elif kind == "constant column":
        values = ["town 0"] * n
    elif kind == "numbers in bins":
        values = [f"{10 * at + rng.random():.3f}" for at in x]
        public["edges"] = [10, 25]
    elif kind == "numbers as codes":
        values = [f"{1000 + at}" for at in x]
        public["categorical"] = True
    elif kind == "two columns":
        others = [f"z{at}" for at in rng.integers(0, 3, n)]
        columns.append({"name": "z"})
    lines = [",".join(row) for row in zip(secrets, values, others, strict=True)]
    text = "\n".join(["s,x,z", *lines]) + "\n"
    belief = {"belief": 0.1, "at_most": float(rng.choice([0.2, 0.3, 0.5]))}
    asked |= {"secret": [{"name": "s"}], "public": columns, "seed": None, **belief}
    return Case(text, asked)


def by_command(case, folder):
    """Return what the command that the page tells writes, or its refusal."""
    (folder / "t.csv").write_text(case.text, encoding="utf-8")
    reading = reading_of(case.asked, rare="pool")
    words = shlex.split(command("t.csv", reading, question_of(case.asked)))[1:]
    heard = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stderr(heard):
        code = main(words)
    if code:
        lines = heard.getvalue().splitlines()
        return {"refused": "; ".join(line.removeprefix("lift: ") for line in lines)}
    names = {"rows": "released.csv", "card": "released.card.json"}
    texts = {what: (folder / name).read_text() for what, name in names.items()}
    return {"rows": texts["rows"], "card": json.loads(texts["card"])}


def by_page(answer):
    """Return the same of the page's answer."""
    if "refused" in answer:
        return answer
    texts = {file["name"]: file["text"] for file in answer["files"]}
    card = json.loads(texts["t-released.card.json"])
    return {"rows": texts["t-released.csv"], "card": card}


def compare(of_command, of_page):
    """Assert that two releases are the same, numbers to within rounding."""
    assert of_command.keys() == of_page.keys()
    if "refused" in of_command:
        # the command adds the options that help
        assert of_command["refused"].startswith(of_page["refused"])
        return
    assert of_command["rows"] == of_page["rows"]
    one, other = of_command["card"], of_page["card"]
    assert one.keys() == other.keys()
    for name in one.keys() - OF_ONE_RUN - {"kernel"}:
        assert one[name] == other[name], name
    assert {*one["tells"]} - OF_LEDGER == {*other["tells"]} - OF_LEDGER
    for (at, row), (at_other, row_other) in zip(
        one["kernel"], other["kernel"], strict=True
    ):
        assert at == at_other
        assert row == pytest.approx(row_other, abs=1e-9)


@pytest.fixture(scope="module", params=range(GROUPS))
def releases(request, tmp_path_factory):
    """Ten tables, and what the command makes of them."""
    first = request.param * TABLES_PER_GROUP
    cases = [case_of(first + number) for number in range(TABLES_PER_GROUP)]
    done = []
    with pytest.MonkeyPatch.context() as ours:
        for case in cases:
            folder = tmp_path_factory.mktemp("command")
            (folder / "lift").mkdir()
            (folder / "lift" / "noise.PRIVATE.key").write_bytes(KEY)
            ours.setenv("XDG_STATE_HOME", str(folder))
            done.append(by_command(case, folder))
    return cases, done


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_object_that_the_page_calls(releases):
    for case, of_command in zip(*releases, strict=True):
        desk = Desk()
        desk.opened(case.text.encode(), "t.csv")
        answer = json.loads(desk.release(json.dumps(case.asked)))
        compare(of_command, by_page(answer))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_pages_own_python(releases, tmp_path):
    node = shutil.which("node")
    if node is None or not (ALIVE / "runtime" / "pyodide.mjs").exists():
        pytest.skip("no Node, or no built page with its Python")
    cases, of_commands = releases
    asked = tmp_path / "cases.json"
    asked.write_text(json.dumps([case._asdict() for case in cases]))
    words = [node, str(SCRIPT), str(ALIVE), str(ROOT), str(asked)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    for of_command, answer in zip(of_commands, answers, strict=True):
        compare(of_command, by_page(answer))
