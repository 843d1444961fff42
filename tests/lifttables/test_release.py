"""The road of a release: what stops it, what repeats it, and what adds up."""

import json
import math
import re
import zipfile
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from table_of_people import counts_of, patients, words_of

import lifttables as tables
from liftlib import LIP
from liftlib.channel import Channel
from liftlib.errors import BrokenNotion, DataError, InvalidParameter
from lifttables.cli import COMMANDS, LIFT, _parser, main
from lifttables.cli.options import share_of
from lifttables.designs.designing import Kind, Made, best_design, load
from lifttables.encoding.columns import RARE
from lifttables.files import percent, state_folder
from lifttables.population.noise import geometric_noise, noise_pmf
from lifttables.releases import noising, pipeline
from lifttables.releases.card import Limit
from lifttables.releases.counts import counts_design, counts_frame
from lifttables.releases.estimating import expected_error
from lifttables.releases.ledger import ledger_next_to, read_ledger
from lifttables.releases.noising import noisy_totals, with_noise
from lifttables.releases.pipeline import LEAST_RETAINED
from lifttables.releases.telling import uses

OF = ["--secret", "ill", "--public", "town"]
BELIEF = ["--belief", "10%", "20%"]
QUESTION = tables.Question(0.1, 0.2)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients(2000).write_csv("p.csv")


def release(*words, out="out.csv"):
    return main(["release", "p.csv", *OF, *BELIEF, "-o", out, *words])


def entries():
    """Return what the ledger has."""
    return read_ledger(ledger_next_to(Path("p.csv"))).entries


def files_here():
    return {path.name for path in Path().iterdir() if path.is_file()}


def test_a_release_that_says_nothing_is_none(folder, capsys):
    patients(60).write_csv("p.csv")
    assert (
        main(["release", "p.csv", *OF, "--belief", "10%", "12%", "-o", "out.csv"]) == 3
    )
    assert len(capsys.readouterr().err.splitlines()) == 3
    assert files_here() == {"p.csv"}
    with pytest.raises(tables.NothingToRelease) as stopped:
        tables.sanitise(
            patients(60), secret="ill", public="town", notion=tables.Question(0.1, 0.12)
        )
    error = stopped.value
    assert error.secret in ("flu", "asthma", "none")
    assert error.retained < LEAST_RETAINED
    assert 60 < error.rows < math.inf
    assert 0 < error.error < 1


def test_the_same_command_again_gives_the_identical_files(folder):
    assert release() == 0
    first = {name: Path(name).read_bytes() for name in files_here()}
    assert release("--force") == 0
    assert {name: Path(name).read_bytes() for name in files_here()} == first
    assert len(entries()) == 1


OTHER_VERSIONS = {
    "of noise": (
        noising,
        "geometric_noise",
        lambda *words: 1 + geometric_noise(*words),
    ),
    "of designs": (
        pipeline,
        "_readable",
        lambda counts, _: best_design(counts, LIP(0.4)),
    ),
}


@pytest.mark.parametrize("name", OTHER_VERSIONS)
@pytest.mark.parametrize("more", [[], ["--counts"]], ids=str)
def test_another_design_by_the_same_command_is_another_release(
    folder, monkeypatch, name, more
):
    """As of another version of the library: two draws tell more than one."""
    assert release(*more) == 0
    monkeypatch.setattr(*OTHER_VERSIONS[name])
    same = more and name != "of noise"
    assert release(*more, out="again.csv") == (0 if same else 3)
    assert release(*more, "--dry-run") == (0 if same else 3)
    assert len(entries()) == 1


def test_only_the_owner_reads_what_is_confidential(folder):
    assert release() == 0
    private = [Path(name) for name in files_here() if "PRIVATE" in name]
    assert len(private) == 3
    assert not any(path.stat().st_mode & 0o077 for path in private)


def test_rows_are_released_once(folder):
    assert release() == 0
    before = files_here()
    other = ["--secret", "ill", "--public", "age", "--bin", "age=50"]
    assert main(["release", "p.csv", *other, *BELIEF, "-o", "b.csv"]) == 3
    assert release(out="c.csv") == 0  # the same release
    patients(2000, seed=1).write_csv("p.csv")  # the ledger belongs to the name
    assert release(out="d.csv") == 3
    assert release("--ledger", "other.json", out="d.csv") == 0
    assert not {"b.csv"} & files_here()
    assert before < files_here()


def test_a_dry_run_needs_no_folder_to_write_to(folder, monkeypatch):
    def no_lock(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("filelock.SoftFileLock.acquire", no_lock)
    assert release() == 2
    assert release("--dry-run") == 0
    assert files_here() == {"p.csv"}


def test_a_column_with_one_value_is_refused(folder):
    patients(2000, towns=("north",)).write_csv("p.csv")
    assert release() == 2
    assert files_here() == {"p.csv"}


def test_a_dry_run_leaves_no_entry(folder):
    assert main(["release", "p.csv", *OF, *BELIEF, "--dry-run"]) == 0
    assert files_here() == {"p.csv"}


def test_counts_add_up_until_the_belief(folder):
    # the level of one is twice its noise, as a row moves two counts
    assert 2 * 0.41 > QUESTION.odds_growth > 0.41
    assert release("--counts", "--noise", "0.41", out="a.csv") == 3
    assert release("--counts", "--noise", "0.2", out="a.csv") == 0
    patients(2001).write_csv("p.csv")  # one row more, and other noise
    assert release("--counts", "--noise", "0.2", out="b.csv") == 0
    patients(2002).write_csv("p.csv")
    assert release("--counts", "--noise", "0.2", out="c.csv") == 3
    levels = [entry.level for entry in entries()]
    assert levels == [0.4, 0.4]
    assert sum(levels) <= QUESTION.odds_growth
    # rows may follow, and their card adds the counts to what an insider may learn
    assert release(out="d.csv") == 0
    card = tables.read_card("d.card.json")
    assert card.insider == pytest.approx(2 * card.noise + 0.8)


def test_another_name_of_a_ledger_is_the_same_ledger(folder, tmp_path):
    """A link is no copy, which would not know what is released under other names."""
    (tmp_path / "team").mkdir()
    ledger, link = tmp_path / "team" / "ledger.json", tmp_path / "link.json"
    link.symlink_to(ledger)
    assert release("--ledger", str(link), out="a.csv") == 0
    assert link.is_symlink()
    assert len(read_ledger(ledger).entries) == 1
    words = {"secret": "ill", "public": "town", "notion": QUESTION}
    tables.sanitise(patients(99), **words, counts=True, noise=0.2, ledger=link)
    assert link.is_symlink()
    assert len(read_ledger(ledger).entries) == 2
    assert release("--ledger", str(ledger), "--noise", "0.7", out="b.csv") == 3


@pytest.mark.parametrize(
    "name", ["weight", "survey_wt", "stratum", "Household ID", "PSU"]
)
def test_a_survey_is_asked_for_its_sampling(folder, name):
    patients(2000).with_columns(pl.lit("1").alias(name)).write_csv("p.csv")
    assert release() == 2
    assert release("--population", "no") == 3
    assert files_here() == {"p.csv"}
    assert release("--counts") == 0
    assert release("--population", "yes", out="b.csv") == 0
    frame = pl.read_csv("p.csv")
    notes = {
        answer: len(
            tables.audit(
                frame, secret="ill", public="town", population=answer, resamples=0
            ).notes
        )
        for answer in (None, True)
    }
    assert notes[None] == notes[True] + 1  # an audit asks, too


@pytest.mark.parametrize("name", ["weighting scheme", "town", "clusterheadache", "hhs"])
def test_other_names_are_no_survey(name):
    tables.Reading("ill", "town").check_population([name])


def test_all_commands_together_have_few_options():
    options = set()
    for command in COMMANDS:
        parser, _ = _parser(LIFT, [command])
        every = [
            parser,
            *(sub for sub in parser._subparsers._group_actions[0].choices.values()),
        ]
        options |= {
            name
            for one in every
            for name in one._option_string_actions
            if name.startswith("--")
        }
    assert len(options) <= 24


def test_shares_have_three_spellings():
    assert [share_of(text) for text in ("10%", "10", "0.1", " 10 % ")] == [0.1] * 4
    for text in ("1", "1.0", "0", "100%", "nan", "-3", "ten", "150"):
        with pytest.raises(InvalidParameter):
            share_of(text)


def test_the_terminal_has_few_lines(folder, capsys):
    patients(
        3000, towns=tuple(f"a town with the number {at}" for at in range(20))
    ).write_csv("p.csv")
    assert release() == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    assert words_of(Path("out.card.md").read_text(encoding="utf-8")) <= 250


def test_an_error_that_says_nothing_is_not_told():
    errors = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        ward, ill = rng.integers(5, size=400), rng.integers(4, size=400)
        ill = np.where(rng.random(400) < 0.6, ward % 4, ill)
        frame = pl.DataFrame({"ill": ill, "ward": ward}).cast(pl.String)
        of = {"secret": "ill", "public": "ward"}
        done = tables.sanitise(frame, **of, notion=QUESTION, rng=0)
        design = done.design
        kernel, share = design.channel.kernel, design.joint.p_x
        errors.append(expected_error(kernel, share, design.rows))
        text = " ".join(uses(done, tables.Plan(tables.Reading(**of), QUESTION)))
        told = re.findall(r"([\d.,]+) (?:percentage )?points", text)
        assert told
        assert all(float(error.replace(",", "")) < 50 for error in told)
    assert max(errors) >= 0.5


def forged(card, **fields):
    """A card with other content and a digest that fits."""
    Path("forged.card.json").write_text(json.dumps(replace(card, **fields).as_dict()))
    return tables.read_card("forged.card.json")


def test_a_forged_card_is_found(folder):
    assert release() == 0
    card, text = tables.read_card("out.card.json"), Path("out.card.md").read_text()
    design = tables.load("out.PRIVATE.design.json")
    assert tables.verify("out.csv", card, text=text, design=design).agrees
    assert design.file == card.sha256 != ""  # by which it knows its own rows
    assert not tables.verify("out.csv", card, text=text.replace("20 %", "12 %")).agrees
    # what is said is rendered from the fields, so that it cannot be emptied or changed
    # by itself
    assert not tables.verify("out.csv", forged(card, belief=0.05), text=text).agrees
    for insider in (0.0, 1.9 * card.noise):
        assert not tables.verify("out.csv", forged(card, insider=insider)).agrees
    swapped = forged(card, kernel=card.kernel[::-1])
    assert not tables.verify("out.csv", swapped, design=design).agrees
    # the promise of the design: its kernel is computed again from the noisy counts
    other = replace(design, channel=Channel(design.channel.kernel[::-1]))
    assert not tables.verify("out.csv", swapped, design=other).agrees


def test_an_identity_kernel_beside_several_sources_is_found(folder):
    patients(300).write_csv("p.csv")
    assert release() == 0
    card = tables.read_card("out.card.json")
    n = min(card.kernel.shape)
    assert any(len(source) > 1 for source in card.sources)
    identity = np.zeros_like(card.kernel)
    identity[np.arange(len(identity)), np.arange(len(identity)) % n] = 1
    assert not tables.verify("out.csv", forged(card, kernel=identity)).agrees


def test_everything_but_the_table_is_a_function_of_the_noisy_counts():
    first = counts_of(patients(800, 1), "ill", "town")
    other = counts_of(patients(800, 2), "ill", "town")
    noisy = with_noise(first, None, bytes(32)).noisy
    for kind in (Kind.RESPONSE, Kind.MERGING):
        designs = [
            best_design(replace(one, noisy=noisy), QUESTION.notion, kind=kind).design
            for one in (first, other)
        ]
        contents = [{**design.content(), "table": None} for design in designs]
        assert contents[0] == contents[1]
        assert designs[0].table.tolist() != designs[1].table.tolist()


def test_each_table_and_each_part_has_noise_of_its_own():
    """What two tables share would cancel in their difference."""
    first, other = (counts_of(patients(800, seed), "ill", "town") for seed in (1, 2))
    noise = [
        with_noise(one, 0.4, bytes(32)).noisy.table - one.table
        for one in (first, other)
    ]
    assert noise[0].tolist() != noise[1].tolist()
    # of the quarter that chooses blocks, too: the number of its rows is known
    choosers = with_noise(first, 0.4, bytes(32), most=3).noisy.choosers
    assert choosers.sum() != 200


def test_noise_of_rows_and_of_counts_is_independent():
    counts = counts_of(patients(800), "ill", "town")
    of_rows = with_noise(counts, 0.4, bytes(32)).noisy.table - counts.table
    of_counts = noisy_totals(counts, 0.4, bytes(32)).table - counts.table.sum(axis=0)
    assert of_rows.ravel()[: of_counts.size].tolist() != of_counts.ravel().tolist()
    again = noisy_totals(counts, 0.4, bytes(32)).table - counts.table.sum(axis=0)
    assert again.tolist() == of_counts.tolist()


@pytest.mark.parametrize("counts", [False, True])
def test_the_words_have_the_numbers_of_the_promise(folder, counts):
    done = tables.sanitise(
        patients(2000),
        secret="ill",
        public="town",
        notion=QUESTION,
        counts=counts,
        noise=0.3,
    )
    card = done.card
    assert len(card.words) == 2
    growth = card.promise.odds_growth + card.insider
    odds = math.exp(growth) / 9
    assert f"{math.ceil(1000 * odds / (1 + odds) - 1e-9) / 10:g} %" in card.words[1]
    assert card.promise.belief(0.1)[1] <= 0.2 + 1e-12 or counts


def new_rows(table, *words, out="new-out.csv"):
    """Release new rows with the design of the first release."""
    design = ["--design", "out.PRIVATE.design.json"]
    return main(["release", table, *design, "-o", out, *words])


def test_new_rows_come_first_with_what_nobody_checks(folder):
    assert release() == 0
    patients(500, seed=3).write_csv("new.csv")
    assert new_rows("new.csv") == 0
    card = tables.read_card("new-out.card.json")
    assert card.not_covered[0] == Limit.NEW_ROWS.value
    assert (card.insider, card.rows) == (0.0, 500)
    assert tables.verify(
        "new-out.csv", card, text=Path("new-out.card.md").read_text()
    ).agrees
    assert new_rows("new.csv", out="again.csv") == 0
    assert Path("again.csv").read_bytes() == Path("new-out.csv").read_bytes()
    patients(500, seed=4).write_csv("new.csv")
    assert new_rows("new.csv", out="other.csv") == 3


COPIES = {
    "renamed": lambda rows: rows,
    "in another order": lambda rows: rows.reverse(),
    "without other columns": lambda rows: rows.select("town", "ill"),
    "without the secret": lambda rows: rows.drop("ill"),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_of_the_rows_of_a_design_has_no_new_rows(folder, name):
    assert release() == 0
    COPIES[name](pl.read_csv("p.csv")).write_csv("copy.csv")
    before = files_here()
    assert new_rows("copy.csv") == 3
    assert files_here() == before
    # a row less is another table, as the card says
    pl.read_csv("copy.csv").head(-1).write_csv("copy.csv")
    assert new_rows("copy.csv") == 0


@pytest.mark.parametrize("value", [None, "unknown"], ids=["blank", "constant"])
@pytest.mark.parametrize("some", [False, True])
def test_a_secret_of_one_value_tells_rows_apart_no_better_than_none(
    folder, value, some
):
    assert release() == 0
    frame = pl.read_csv("p.csv")
    gone = pl.lit(value, dtype=pl.String)
    if some:  # the others are missing
        gone = pl.when(pl.int_range(pl.len()) % 2 == 0).then(gone)
    frame.with_columns(ill=gone).write_csv("copy.csv")
    before = files_here()
    assert new_rows("copy.csv") == 3
    assert files_here() == before
    frame.head(-1).with_columns(ill=gone).write_csv("copy.csv")
    assert new_rows("copy.csv") == 0


@pytest.mark.parametrize("promise", [QUESTION, LIP(0.1)], ids=str)
def test_counts_have_the_noise_that_they_promise_without_a_ledger(promise):
    words = {"secret": "ill", "public": "town", "counts": True}
    most = promise.odds_growth / 2
    with pytest.raises(BrokenNotion) as error:
        tables.sanitise(patients(500), **words, notion=promise, noise=1.01 * most)
    assert error.value.arguments == ("noise",)
    done = tables.sanitise(patients(500), **words, notion=promise, noise=most)
    assert done.card.promise.odds_growth <= promise.odds_growth + 1e-9


def elsewhere(frame):
    """Yield the rows of a frame, in another order, as tables of other libraries."""
    dask, duckdb = (pytest.importorskip(one) for one in ("dask.dataframe", "duckdb"))
    rows = frame.reverse()
    arrow = rows.to_arrow()  # noqa: F841 - named in the query
    pandas = pd.DataFrame(rows.to_dict(as_series=False))
    yield from (rows, rows.lazy(), pandas, duckdb.sql("select * from arrow"))
    yield dask.from_pandas(pandas, npartitions=3)


@pytest.mark.parametrize("columns", [["ill", "town"], ["town"]])
def test_a_design_knows_its_rows_in_each_library(folder, columns):
    assert release() == 0
    design, frame = load("out.PRIVATE.design.json"), pl.read_csv("p.csv")
    for copy in elsewhere(frame.select(columns)):
        with pytest.raises(BrokenNotion):
            tables.apply(copy, design)
    for other in elsewhere(frame.select(columns).head(-1)):
        tables.apply(other, design)


@pytest.mark.parametrize("missing", ["drop", "symbol"])
@pytest.mark.parametrize("gone", ["ill", "town"])
@pytest.mark.parametrize("columns", [["ill", "town"], ["town"]])
def test_a_design_knows_its_rows_with_and_without_incomplete_ones(
    folder, missing, gone, columns
):
    frame = patients(2000).with_columns(
        pl.when(pl.int_range(2000) % 11 > 0).then(gone).alias(gone)
    )
    frame.write_csv("p.csv")
    assert release("--missing", missing) == 0
    copy = frame.select(columns)
    copies = [copy]
    if missing == "drop":
        copies.append(frame.drop_nulls().select(columns))
    for rows in copies:
        rows.write_csv("copy.csv")
        for how in ("drop", "refuse"):
            assert new_rows("copy.csv", "--missing", how) == 3
    patients(500, seed=3).write_csv("new.csv")
    assert new_rows("new.csv") == 0


@pytest.mark.parametrize("missing", ["refuse", "symbol"])
def test_missing_values_of_new_rows_are_in_no_pool(folder, missing):
    rare = patients(8).with_columns(
        pl.Series("town", [f"v{at}" for at in range(7)] + [None])
    )
    if missing == "refuse":
        rare = rare.drop_nulls()
    pl.concat([patients(2000), rare]).write_csv("p.csv")
    assert release("--missing", missing) == 0
    assert load("out.PRIVATE.design.json").pools_new
    new = patients(500, seed=3).with_columns(
        pl.when(pl.int_range(500) % 11 > 0).then("town").alias("town")
    )
    new.write_csv("new.csv")
    # where the first release had them, they are a symbol
    assert new_rows("new.csv") == (2 if missing == "refuse" else 0)
    new.write_csv("other.csv")
    assert new_rows("other.csv", "--missing", "drop", out="dropped.csv") == 0


def test_a_design_tells_nothing_of_its_rows_to_who_has_no_key(folder):
    assert release() == 0
    (state_folder() / "noise.PRIVATE.key").write_bytes(bytes(range(32)))
    assert release("--ledger", "other.json", out="other.csv") == 0
    own, other = (
        load(f"{name}.PRIVATE.design.json").made_from for name in ("out", "other")
    )
    assert len(own) == len(other) == 2  # of all columns, and of the public ones
    assert not {*own} & {*other}
    assert new_rows("p.csv") == 2


OTHER_KEYS = {
    "of somebody else": lambda file: file.write_bytes(bytes(range(32))),
    "lost": lambda file: file.unlink(),
    "damaged": lambda file: file.write_bytes(b"junk"),
    "no folder for one": lambda file: (file.unlink(), file.parent.rmdir()),
    "nowhere to keep one": lambda file: (
        file.unlink(),
        file.parent.rmdir(),
        file.parent.write_text(""),
    ),
    "unreadable": lambda file: (file.unlink(), file.mkdir()),
}


@pytest.mark.parametrize("name", OTHER_KEYS)
def test_a_design_is_used_with_the_key_that_it_was_made_with(
    folder, tmp_path, monkeypatch, name
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("lifttables.releases.noising.PATIENCE_SECONDS", 0.1)
    assert release() == 0
    Path("p.csv").rename("copy.csv")
    assert new_rows("copy.csv") == 3
    key = state_folder() / "noise.PRIVATE.key"
    OTHER_KEYS[name](key)
    before = files_here()
    assert new_rows("copy.csv") == 2
    assert new_rows("copy.csv", "--dry-run") == 2
    with pytest.raises(DataError):
        tables.apply(pl.read_csv("copy.csv"), load("out.PRIVATE.design.json"), rng=1)
    assert files_here() == before
    if name in ("lost", "no folder for one"):
        assert not key.exists()  # none was made


def test_an_infinite_number_is_refused():
    frame = pl.DataFrame(
        {"ill": ["a", "b"] * 20, "dose": [1.0, 2.0] * 19 + [math.inf, -1.0]}
    )
    for bins in ("dose=1.5", "dose=" + ",".join(f"{at / 100}" for at in range(1, 100))):
        with pytest.raises(DataError):
            counts_of(frame, "ill", "dose", bins=(bins,), rare="keep")


def test_a_list_of_which_nothing_occurs_is_refused():
    with pytest.raises(DataError) as refused:
        counts_of(patients(50), "ill", "town", values=("town=mars,venus",))
    assert refused.value.arguments == ("values",)


def test_decimal_commas_and_other_dates_are_read_when_stated(folder):
    Path("p.csv").write_text(
        "ill;pay;seen\n" + "a;1,5;31.12.2024\nb;2,5;01.02.2025\n" * 50
    )
    words = ("ill", "pay")
    how = tables.Reading(*words, bins=("pay=2",), separator=";", decimal=",")
    counts = how.counts(tables.open_table("p.csv", how.text_format))
    assert counts.table.tolist() == [[50, 0], [0, 50]]
    with pytest.raises(DataError):
        replace(how, decimal=".").counts(tables.open_table("p.csv", how.text_format))
    how = tables.Reading(
        "ill", "seen", bins=("seen=year",), separator=";", dates="%d.%m.%Y"
    )
    counts = how.counts(tables.open_table("p.csv", how.text_format))
    assert counts.public.labels == (("2024",), ("2025",))


def test_too_little_noise_left_is_a_broken_promise(folder, tmp_path):
    ledger = tmp_path / "ledger.json"
    words = {
        "secret": "ill",
        "public": "town",
        "notion": QUESTION,
        "counts": True,
        "ledger": ledger,
    }
    tables.sanitise(patients(500), **words)
    with pytest.raises(BrokenNotion):
        tables.sanitise(patients(500, 1), **words)


def write_excel(frame, path):
    """Write a frame of texts as the least Excel file there is."""
    cells = [
        "".join(f'<c t="inlineStr"><is><t>{value}</t></is></c>' for value in row)
        for row in (frame.columns, *frame.rows())
    ]
    rows = "".join(f"<row>{row}</row>" for row in cells)
    of = "http://schemas.openxmlformats.org"
    relation = f"{of}/officeDocument/2006/relationships"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": (
            f'<Types xmlns="{of}/package/2006/content-types"><Default Extension="rels"'
            ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Override PartName="/xl/workbook.xml"'
            f' ContentType="{kinds}.sheet.main+xml"/>'
            '<Override PartName="/xl/worksheets/s.xml"'
            f' ContentType="{kinds}.worksheet+xml"/></Types>'
        ),
        "_rels/.rels": (
            f'<Relationships xmlns="{of}/package/2006/relationships"><Relationship'
            f' Id="r1" Type="{relation}/officeDocument"'
            ' Target="xl/workbook.xml"/></Relationships>'
        ),
        "xl/workbook.xml": (
            f'<workbook xmlns="{of}/spreadsheetml/2006/main" xmlns:r="{relation}">'
            '<sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": (
            f'<Relationships xmlns="{of}/package/2006/relationships"><Relationship'
            f' Id="r1" Type="{relation}/worksheet"'
            ' Target="worksheets/s.xml"/></Relationships>'
        ),
        "xl/worksheets/s.xml": (
            f'<worksheet xmlns="{of}/spreadsheetml/2006/main">'
            f"<sheetData>{rows}</sheetData></worksheet>"
        ),
    }
    with zipfile.ZipFile(path, "w") as file:
        for name, text in parts.items():
            file.writestr(name, text)


def test_an_excel_file_is_read_and_none_is_written(folder):
    frame = patients(400).select("ill", "town")
    write_excel(frame, "p.xlsx")
    counts = counts_of("p.xlsx", "ill", "town")
    expected = counts_of(frame, "ill", "town")
    assert counts.table.tolist() == expected.table.tolist()
    assert main(["release", "p.xlsx", *OF, *BELIEF, "-o", "out.xlsx"]) == 2
    Path("broken.xlsx").write_bytes(b"PK\x03\x04 no zip")
    with pytest.raises(DataError):
        tables.open_table("broken.xlsx")


def test_another_hierarchy_under_the_same_name_is_another_release(folder):
    """X = (S xor R, R) by halves told everything: the ledger took the second release
    for the first again.
    """
    of = ["--hierarchy", "town=towns.csv"]
    parents = {"one": "aabb", "other": "abab"}
    for name, groups in parents.items():
        lines = [
            f"{town},{group}"
            for town, group in zip(
                ("north", "south", "east", "west"), groups, strict=True
            )
        ]
        Path("towns.csv").write_text(
            "\n".join(["town,region", *lines]) + "\n", encoding="utf-8"
        )
        code = release(*of, "--force")
        assert code == (0 if name == "one" else 3)
    assert len(entries()) == 1


CHANGES_OF_PLANS = {
    "reading": tables.Reading("ill", "town", min_count=9),
    "promise": tables.Question(0.1, 0.3),
    "confidence": 0.9,
    "counts": True,
    "merge": True,
    "noise": 0.3,
}


def test_each_part_of_a_plan_makes_another_release():
    """Another level of noise would not be charged."""
    plan = tables.Plan(tables.Reading("ill", "town"), QUESTION)
    assert {*CHANGES_OF_PLANS} == {field.name for field in fields(plan)}
    for name, value in CHANGES_OF_PLANS.items():
        assert replace(plan, **{name: value}).as_text() != plan.as_text(), name


@pytest.mark.parametrize(
    ("retained", "kind"), [(0.41, Kind.MERGING), (0.39, Kind.RESPONSE)]
)
def test_groups_are_published_if_they_retain_four_fifths(monkeypatch, retained, kind):
    nmi = {Kind.RESPONSE: 0.5, Kind.MERGING: retained}

    def best(*given):
        return Made(given[-1], nmi[given[-1]])

    monkeypatch.setattr(pipeline, "best_design", best)
    plan = tables.Plan(tables.Reading("ill", "town"), QUESTION)
    counts = counts_of(patients(60), "ill", "town")
    assert pipeline._readable(counts, plan).design is kind


def test_published_errors_are_rounded_up():
    counts = counts_of(patients(700), "ill", "town")
    design = counts_design(counts, 0.3, bytes(32))
    told = counts_frame(design)["error"].to_numpy()
    # of a share and of the noise of a geometric difference, by its distribution
    share, pmf = design.noisy.table[0] / 700, noise_pmf(1, 0.3)
    noise = pmf @ (np.arange(len(pmf)) - len(pmf) // 2) ** 2
    error = 1.96 * np.sqrt(share * (1 - share) / 700 + noise / 700**2)
    assert (told >= 0.999 * error).all()
    assert (told <= 1.02 * error + 1e-3).all()


@pytest.mark.parametrize("share", [0.20004, 0.199996, 0.2, 1 / 3, 0.0, 1.0])
def test_a_bound_is_rounded_to_its_side(share):
    low, up = (
        float(percent(share, up=side).removesuffix(" %")) for side in (False, True)
    )
    assert low <= 100 * share + 1e-9
    assert up >= 100 * share - 1e-9
    assert up - low <= 0.1 + 1e-9


def test_the_error_of_counts_is_foretold():
    plan = tables.Plan(tables.Reading("ill", "town"), QUESTION, counts=True)
    counts = counts_of(patients(60), "ill", "town")
    noisy = with_noise(counts, None, bytes(32)).noisy
    assert noisy.c > 2 * plan.c_of_counts
    design = counts_design(counts, plan.c_of_counts, bytes(32))
    error = counts_frame(design)["error"].max()
    assert plan.error_of_counts(noisy) == pytest.approx(error, rel=0.1)


def test_a_second_release_does_not_deny_the_first(folder):
    assert release("--counts", out="counts.csv") == 0
    assert release(out="rows.csv") == 0
    cards = [tables.read_card(f"{name}.card.json") for name in ("counts", "rows")]
    assert [Limit.LEDGER in card.tells for card in cards] == [True, False]


def test_a_release_that_pools_rare_values_is_verified_with_its_design(folder):
    rare = pl.DataFrame(
        {
            "ill": ["flu", "none"] * 4,
            "town": [f"v{i}" for i in range(8)],
            "age": [30] * 8,
        }
    )
    pl.concat([pl.read_csv("p.csv"), rare], how="vertical_relaxed").write_csv("p.csv")
    assert release() == 0
    assert tables.read_card("out.card.json").symbols[-1] == (RARE,)
    design = ["--design", "out.PRIVATE.design.json"]
    assert main(["verify", "out.csv", "out.card.json", *design]) == 0


def test_a_larger_belief_does_not_lift_what_a_card_promised(folder):
    assert release("--counts", out="a.csv") == 0
    wide = ["--belief", "10%", "90%", "--counts", "--noise", "1"]
    assert main(["release", "p.csv", *OF, *wide, "-o", "b.csv"]) == 3
    assert not Path("b.csv").exists()


CHANGES = {
    "limits": {"tells": ()},
    "limits of the ledger alone": {"tells": (Limit.LEDGER,)},
    "noise": {"noise": 0.01, "insider": 0.02},
    "rows": {"rows": 3},
    "secret": {"secret": ("age",)},
    "values": {"values": ("It holds for everybody.",)},
    "sources": {"sources": ((0,),) * 99},
}


# what follows from no design, and is told by the digest that it keeps
CHANGES_OF_ROWS = [
    {"sha256": ""},
    {"options": {}},
    {"release": 2},
    {"belief": 0.2},
    lambda card: {"tells": (*card.tells, Limit.NEW_ROWS), "insider": 0.0},
]


@pytest.mark.parametrize("counts", [False, True])
def test_a_design_shows_each_changed_field_of_a_card(folder, counts):
    assert release(*(["--counts"] if counts else [])) == 0
    card = tables.read_card("out.card.json")
    design = load("out.PRIVATE.design.json")
    assert tables.verify("out.csv", card, design=design).agrees
    for change in [*CHANGES.values(), *(CHANGES_OF_ROWS if not counts else ())]:
        changed = replace(card, **change(card) if callable(change) else change)
        changed = replace(changed, sources=changed.sources[: len(card.texts)])
        assert not tables.verify("out.csv", changed, design=design).agrees
    if counts:
        text = Path("out.csv").read_text()
        Path("out.csv").write_text(text.replace("north,", "north,1"))
        assert not tables.verify(
            "out.csv", replace(card, sha256=""), design=design
        ).agrees
