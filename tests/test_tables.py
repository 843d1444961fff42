"""Tables are counted, coded, audited and released as they say, from files and from frames."""

import itertools
import json
from fractions import Fraction

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import liftlib as ll
from liftlib import tables
from liftlib.errors import DataError, InvalidParameter, UnsupportedNotion
from liftlib.tables.auditing import MEASURES
from liftlib.tables.columns import Column, column_from, count
from liftlib.tables.randomness import SystemRandom
from liftlib.tables.sanitising import Reading

ILL = ["flu", "flu", "none", "none", "none", "rare"] * 20
AGE = ["old", "young", "young", "young", "old", "old"] * 20
PEOPLE = pl.DataFrame({"name": [f"p{i}" for i in range(120)], "ill": ILL, "age": AGE})


def people(folder, name="people.csv", table=PEOPLE):
    path = folder / name
    if path.suffix == ".parquet":
        table.write_parquet(path)
    else:
        table.write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
    return path


def frames():
    pandas = PEOPLE.to_dict(as_series=False)
    yield "polars", lambda: PEOPLE
    yield "polars lazy", PEOPLE.lazy
    yield "pandas", lambda: pd.DataFrame(pandas, index=range(1000, 1120))
    yield "pyarrow", PEOPLE.to_arrow
    yield "duckdb", _duckdb
    yield "dask", _dask
    yield "spark", _spark


def _duckdb():
    import duckdb

    arrow = PEOPLE.to_arrow()  # noqa: F841 - named in the query
    return duckdb.sql("select * from arrow")


def _dask():
    import dask.dataframe

    return dask.dataframe.from_pandas(pd.DataFrame(PEOPLE.to_dict(as_series=False)), npartitions=3)


def _spark():
    """PySpark's interface over DuckDB, so that the tests need no Java."""
    from sqlframe.duckdb import DuckDBSession

    return DuckDBSession.builder.getOrCreate().createDataFrame(pd.DataFrame(PEOPLE.to_dict(as_series=False)))


class TestReading:
    @pytest.mark.parametrize("name", ["people.csv", "people.tsv", "people.parquet"])
    def test_files_of_each_kind_count_alike(self, tmp_path, name):
        counts = Reading("ill", ("age",)).counts(tables.open_table(people(tmp_path, name)))
        assert counts.secret.texts == ("flu", "none", "rare")
        assert counts.public.texts == ("old", "young")
        assert counts.table.tolist() == [[20, 20], [20, 40], [20, 0]]

    @pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in frames()])
    @pytest.mark.filterwarnings("ignore")  # of the other libraries among themselves
    def test_frames_of_each_library_count_and_release_alike(self, make):
        counts = Reading("ill", ("age",)).counts(tables.open_table(make()))
        assert counts.table.tolist() == [[20, 20], [20, 40], [20, 0]]
        done = tables.sanitise(make(), secret="ill", public="age", notion=ll.LIP(5.0), keep=["name"], resamples=0)
        released = nw.from_native(done.frame).to_polars()
        assert released.columns == ["name", "age"]
        assert released.sort("name").equals(
            pl.DataFrame({"name": PEOPLE["name"], "age": ["old or young"] * 120}).sort("name")
        )

    def test_text_stays_as_it_is(self, tmp_path):
        path = tmp_path / "zip.csv"
        path.write_text("ill,zip\n" + 'yes,007\nno,7\n"no",7.0\nno,"a, ""b"""\nno," 7"\n' * 5)
        counts = Reading("ill", ("zip",)).counts(tables.open_table(path))
        assert set(counts.public.texts) == {"007", "7", "7.0", 'a, "b"', " 7"}

    def test_several_columns_are_one_symbol(self):
        counts = Reading("ill", ("age", "name"), rare="keep").counts(tables.open_table(PEOPLE))
        assert counts.public.texts[0] == "old & p0"
        assert len(counts.public.texts) == 120

    def test_bins(self):
        table = pl.DataFrame({"s": ["a", "b"] * 50, "age": range(100)})
        counts = Reading("s", ("age",), bins=("age=20,60",)).counts(tables.open_table(table))
        assert counts.public.texts == ("< 20", ">= 60", "[20, 60)")
        assert counts.table.sum(axis=0).tolist() == [20, 40, 40]
        counts = Reading("s", ("age",), bins=("age=quantiles:4",)).counts(tables.open_table(table))
        assert sorted(counts.table.sum(axis=0)) == [25, 25, 25, 25]

    def test_bins_from_a_database_and_of_text(self, tmp_path):
        table = pl.DataFrame({"s": ["a", "b"] * 50, "age": [str(i) for i in range(100)]})
        path = people(tmp_path, "t.csv", table)
        counts = Reading("s", ("age",), bins=("age=20,60",)).counts(tables.open_table(path))
        assert counts.table.sum(axis=0).tolist() == [20, 40, 40]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("age", "give NAME=EDGE,EDGE"),
            ("age=", "give NAME=EDGE,EDGE"),
            ("=1", "give NAME=EDGE"),
            ("age=2,1", "that grow"),
            ("age=1,nan", "that grow"),
            ("age=quantiles:1", "N of 2 or more"),
            ("age=quantiles:x", "N of 2 or more"),
        ],
    )
    def test_wrong_bins(self, text, message):
        with pytest.raises(DataError, match=message):
            column_from(text)

    def test_missing_values_are_refused_unless_they_are_a_symbol(self, tmp_path):
        path = tmp_path / "gaps.csv"
        path.write_text("ill,age\n" + "yes,old\nno,\n,young\n" * 5)
        with pytest.raises(DataError, match=r"column 'ill' misses 5 of 15 values: fill them, .* \(--missing symbol"):
            Reading("ill", ("age",)).counts(tables.open_table(path))
        counts = Reading("ill", ("age",), missing="symbol").counts(tables.open_table(path))
        assert counts.public.texts == ("(missing)", "old", "young")
        assert counts.secret.texts == ("(missing)", "no", "yes")

    def test_pandas_and_numbers_that_are_missing(self):
        table = pd.DataFrame({"s": ["a", "b", None] * 6, "x": [1.0, np.nan, 2.0] * 6})
        with pytest.raises(DataError, match="'s' misses 6 of 18"):
            tables.audit(table, secret="s", public="x", resamples=0)
        found = tables.audit(table, secret="s", public="x", resamples=0, missing="symbol")
        assert {symbol.symbol for symbol in found.symbols} == {"1.0", "2.0", "(missing)"}

    def test_rare_symbols(self):
        table = pl.DataFrame({"s": ["a", "b"] * 10, "x": ["u"] * 10 + ["v"] * 7 + ["w"] * 2 + ["z"]})
        with pytest.raises(
            DataError, match=r"column 'x' has 2 symbols with fewer than 5 rows \('w', 'z'\): pool them \(--rare pool\)"
        ):
            Reading("s", ("x",)).counts(tables.open_table(table))
        pooled = Reading("s", ("x",), rare="pool").counts(tables.open_table(table))
        assert pooled.public.texts == ("u", "v", "(rare)")
        assert pooled.table.sum(axis=0).tolist() == [10, 7, 3]
        assert pooled.public.pooled == (("w",), ("z",))
        kept = Reading("s", ("x",), rare="keep").counts(tables.open_table(table))
        assert kept.table.sum(axis=0).tolist() == [10, 7, 2, 1]

    def test_many_numbers_are_not_symbols_without_a_word(self):
        table = pl.DataFrame({"s": ["a", "b"] * 50, "x": [i / 7 for i in range(100)]})
        with pytest.raises(DataError, match=r"column 'x' holds 100 distinct numbers: bin it \(--bin x=EDGES"):
            Reading("s", ("x",)).counts(tables.open_table(table))

    def test_too_many_symbols(self):
        table = pl.DataFrame({"s": ["a", "b"] * 50_000, "x": [f"u{i}" for i in range(100_000)]})
        with pytest.raises(DataError, match=r"'x' has 100,000 symbols, more than 5,000: bin or coarsen it, or raise"):
            Reading("s", ("x",)).counts(tables.open_table(table))

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "is empty: it needs a line with the columns' names"),
            (b"ill,age\n", "has no rows"),
            (b"ill,age\n1,2,3\n", "a line has more values than the header has names"),
            (b"ill,age\ncaf\xe9,1\n", "save it as UTF-8"),
            (b"ill,ill,age\n1,2,3\n", "more than one column 'ill'"),
            (b"ill,agee\n1,2\n", "no column 'age': did you mean 'agee'"),
        ],
    )
    def test_bad_files_say_what_is_wrong(self, tmp_path, content, message):
        path = tmp_path / "bad.csv"
        path.write_bytes(content)
        with pytest.raises(DataError, match=message):
            Reading("ill", ("age",)).counts(tables.open_table(path))

    def test_huge_fields_are_read(self, tmp_path):
        path = tmp_path / "huge.csv"
        path.write_text("ill,age\n" + f"{'x' * 5_000_000},old\nno,old\n" * 3)
        counts = Reading("ill", ("age",)).counts(tables.open_table(path))
        assert counts.table.tolist() == [[3], [3]]

    def test_no_such_thing(self, tmp_path):
        with pytest.raises(DataError, match=r"no file .*none.csv: check the path"):
            tables.open_table(tmp_path / "none.csv")
        with pytest.raises(DataError, match=r"does not end in \.csv, \.tsv, \.parquet, \.pq"):
            tables.open_table(tmp_path / "table.xlsx")
        with pytest.raises(DataError, match="a int is no table"):
            tables.open_table(3)
        (tmp_path / "not.parquet").write_text("text")
        with pytest.raises(DataError, match="cannot read"):
            tables.open_table(tmp_path / "not.parquet")

    def test_secret_and_public_differ(self):
        with pytest.raises(DataError, match="column 'age' is named twice"):
            tables.audit(PEOPLE, secret="age", public="age")

    def test_a_bin_of_another_column(self):
        with pytest.raises(DataError, match="--bin names 'name', which is neither the secret nor public"):
            Reading("ill", ("age",), bins=("name=1",)).counts(tables.open_table(PEOPLE))

    def test_a_binned_column_of_text(self):
        with pytest.raises(DataError, match="a binned column must hold numbers"):
            Reading("ill", ("age",), bins=("age=1",)).counts(tables.open_table(PEOPLE))


class TestAudit:
    def test_by_hand(self):
        """P(flu) = 1/3, P(none) = 1/2, P(rare) = 1/6; P(old) = P(young) = 1/2."""
        found = tables.audit(PEOPLE, secret="ill", public="age", notion=ll.ALIP(1.0, 0.5), resamples=0)
        third, half, sixth = Fraction(1, 3), Fraction(1, 2), Fraction(1, 6)
        lifts = {
            "old": [sixth / (third * half), sixth / (half * half), sixth / (sixth * half)],
            "young": [sixth / (third * half), third / (half * half), 0 / (sixth * half)],
        }
        for symbol in found.symbols:
            assert symbol.rows == 60
            assert symbol.min_lift == pytest.approx(float(min(lifts[symbol.symbol])))
            assert symbol.max_lift == pytest.approx(float(max(lifts[symbol.symbol])))
        young, old = found.symbols  # the one with the zero cell is the riskier
        assert (young.symbol, young.zero_cells, young.kept) == ("young", ("rare",), False)
        assert young.broken == ("eps_l: needs inf, budget 1 (secret 'rare', lift 0)",)
        assert old.broken == ("eps_u: needs 0.6931, budget 0.5 (secret 'rare', lift 2)",)
        assert found.overall["min_lift_leakage"] == np.inf
        assert found.overall["max_lift_leakage"] == pytest.approx(np.log(2))
        assert found.kept is False
        assert any("1 of 6 cells are empty" in note for note in found.notes)

    def test_overall_is_what_evaluate_says(self):
        joint = ll.datasets.adult()
        found = tables.audit(ll.datasets.adult_frame(), secret="relationship", public="occupation", resamples=0)
        result = ll.evaluate(joint, ll.Channel.identity(joint.n_public))
        for name in MEASURES[:-1]:
            assert found.overall[name] == pytest.approx(getattr(result, name), rel=1e-12)
        assert found.overall["maximal_leakage"] == pytest.approx(ll.sibson(joint, np.inf))

    def test_bootstrap_intervals_cover_the_truth_about_as_often_as_they_say(self):
        """A coverage under 80 % of 95 in 60 tables has a probability of 1e-6."""
        joint, rng, covered = ll.Joint([[0.2, 0.3], [0.35, 0.15]]), np.random.default_rng(3), 0
        truth = ll.evaluate(joint, ll.Channel.identity(2)).max_lift_leakage
        for _ in range(60):
            drawn = rng.multinomial(2000, joint.p.ravel())
            cells = list(itertools.product("ab", "uv"))
            frame = pl.DataFrame(
                {"s": [c[0] for c, k in zip(cells, drawn, strict=True) for _ in range(k)]}
            ).with_columns(pl.Series("x", [c[1] for c, k in zip(cells, drawn, strict=True) for _ in range(k)]))
            found = tables.audit(frame, secret="s", public="x", resamples=100, seed=int(rng.integers(2**31)))
            low, high = found.intervals["max_lift_leakage"]
            covered += low <= truth <= high
        assert covered >= 48

    @pytest.mark.parametrize(
        "notion",
        [
            ll.LIP(0.1),
            ll.LDP(0.1),
            ll.L1Lift(0.1, 0.1),
            ll.Chi2Lift(0.1, 0.1),
            ll.AlphaLift(2, 0.1, 0.1),
            ll.PerfectPrivacy(),
            ll.ALIP(np.inf, 0.1),
        ],
        ids=str,
    )
    def test_every_notion_says_what_it_needs(self, notion):
        found = tables.audit(PEOPLE, secret="ill", public="age", notion=notion, resamples=20, seed=0)
        joint = ll.Joint.from_table(PEOPLE.to_pandas(), secret="ill", public="age")
        assert found.kept is notion.is_kept(joint, ll.Channel.identity(2)) is False
        assert found.kept_share is not None
        for symbol in found.symbols:
            assert (symbol.kept is False) == bool(symbol.broken)
            assert all("needs" in text and "budget" in text for text in symbol.broken)

    def test_side_channels(self):
        table = pl.DataFrame({"s": list("aabbabab") * 10, "x": list("uvuvuuvv") * 10, "z": list("jjkkjkjk") * 10})
        found = tables.audit(table, secret="s", public=["x", "z"], notion=ll.SRLIP(0.1, (2, 2)), resamples=5)
        assert found.kept is False
        with pytest.raises(DataError, match="need every combination of columns 'x', 'z' to occur; 3 of 4 do"):
            tables.audit(
                table.filter((pl.col("x") == "u") | (pl.col("z") == "j")),
                secret="s",
                public=["x", "z"],
                notion=ll.SRLIP(0.1, (2, 2)),
            )

    def test_one_symbol_columns(self):
        table = pl.DataFrame({"s": ["a"] * 9, "x": ["u"] * 9, "z": list("uvw") * 3})
        found = tables.audit(table, secret="s", public="z", notion=ll.LIP(0.0), resamples=3, min_count=0)
        assert found.kept is True
        assert any("the secret has one symbol" in note for note in found.notes)
        found = tables.audit(table, secret="z", public="x", notion=ll.LIP(0.0), resamples=3)
        assert (found.kept, found.overall["ldp"]) == (True, 0)
        assert any("the public column has one symbol" in note for note in found.notes)

    def test_wrong_bootstrap(self):
        with pytest.raises(InvalidParameter, match=r"resamples is -1 and level 0\.95"):
            tables.audit(PEOPLE, secret="ill", public="age", resamples=-1)


class TestRelease:
    @pytest.mark.parametrize("mechanism", list(tables.MECHANISMS))
    @pytest.mark.parametrize("seed", [None, 5])
    def test_what_is_released_follows_the_channel(self, mechanism, seed):
        """Chi-square of the released rows against P(y | s, x), p-value above 1e-6."""
        frame = ll.datasets.adult_frame()
        notion = ll.ALIP(1.0, 0.5)
        done = tables.sanitise(
            pl.from_dict(frame[["relationship", "race"]].to_dict("list")),
            secret="relationship",
            public="race",
            notion=notion,
            mechanism=mechanism,
            resamples=0,
            seed=seed,
        )
        joint = ll.datasets.adult("relationship", "race")
        assert notion.is_kept(joint, done.design.channel)
        assert done.audit.kept is True
        observed = pd.crosstab(frame["relationship"] + frame["race"], np.asarray(done.frame["race"]))
        kernel = done.design.channel.kernel
        if not done.design.channel.sees_secret:
            kernel = np.broadcast_to(kernel, (joint.n_secret, *kernel.shape))
        expected = (joint.p[:, :, None] * kernel * len(frame)).reshape(-1, kernel.shape[-1])
        labels = [f"{s}{x}" for s in joint.secret for x in joint.public]
        found = observed.reindex(index=labels, columns=list(done.design.outputs), fill_value=0).to_numpy()
        assert found.sum() == len(frame)
        assert (found[expected == 0] == 0).all()
        cells = expected > 0
        degrees = cells.sum() - (cells.any(axis=1)).sum()
        statistic = ((found - expected)[cells] ** 2 / expected[cells]).sum()
        assert degrees == 0 or stats.chi2.sf(statistic, degrees) > 1e-6

    def test_system_random_is_uniform_and_does_not_repeat(self):
        numbers = SystemRandom().random(100_000)
        assert stats.kstest(numbers, "uniform").pvalue > 1e-6
        assert not np.array_equal(numbers[:10], SystemRandom().random(10))

    def test_a_seed_repeats_and_no_seed_does_not(self):
        def draw(seed):
            done = tables.sanitise(
                PEOPLE,
                secret="ill",
                public="age",
                notion=ll.LIP(0.4),
                mechanism="randomised-response",
                resamples=0,
                seed=seed,
            )
            return done.frame["age"].to_list()

        assert draw(1) == draw(1) != draw(2)
        assert draw(None) != draw(None)  # equal once in 2^120 or so

    def test_the_secret_is_never_kept(self):
        with pytest.raises(DataError, match="--keep names the secret 'ill': it is not published"):
            tables.sanitise(PEOPLE, secret="ill", public="age", notion=ll.LIP(1), keep=["ill"])
        with pytest.raises(DataError, match="--keep names 'age', which is released through the channel"):
            tables.sanitise(PEOPLE, secret="ill", public="age", notion=ll.LIP(1), keep=["age"])

    def test_a_notion_that_a_mechanism_cannot_serve(self):
        with pytest.raises(UnsupportedNotion, match="subset_merging"):
            tables.sanitise(
                PEOPLE, secret="ill", public="age", notion=ll.Chi2Lift(1, 1), mechanism="optimal", resamples=0
            )

    def test_outputs_have_texts_of_their_own(self):
        frame = ll.datasets.adult_frame()
        for mechanism in ("optimal", "subset-response"):
            done = tables.sanitise(
                frame, secret="relationship", public="occupation", notion=ll.LIP(0.4), mechanism=mechanism, resamples=0
            )
            assert len(set(done.design.outputs)) == done.design.channel.n_outputs

    def test_counts_are_of_the_rows(self):
        counted = pl.DataFrame({"s": ["a", "b"], "x": ["u", "u"], "rows": [7, 3]})
        found = count(counted, Column("s"), [Column("x")])
        assert found.table.tolist() == [[7], [3]]


class TestFile:
    def test_saved_and_loaded_is_the_same(self, tmp_path):
        for mechanism in ("optimal", "conditional-reporting", "subset-merging"):
            done = tables.sanitise(
                ll.datasets.adult_frame(),
                secret="relationship",
                public="race",
                notion=ll.LIP(0.4),
                mechanism=mechanism,
                resamples=0,
            )
            done.design.save(tmp_path / "c.json")
            again = tables.load(tmp_path / "c.json")
            assert np.array_equal(again.channel.kernel, done.design.channel.kernel)
            assert again.outputs == done.design.outputs
            assert (again.public, again.secret, again.rows) == (done.design.public, done.design.secret, 32561)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("{", "is no channel that `lift sanitise` wrote"),
            ("{}", "is no channel that `lift sanitise` wrote: KeyError"),
            ('{"format": "liftlib channel 9"}', "has the format 'liftlib channel 9', not 'liftlib channel 1'"),
        ],
    )
    def test_other_files(self, tmp_path, content, message):
        (tmp_path / "c.json").write_text(content)
        with pytest.raises(DataError, match=message):
            tables.load(tmp_path / "c.json")

    def test_a_kernel_that_was_tampered_with(self, tmp_path):
        done = tables.sanitise(PEOPLE, secret="ill", public="age", notion=ll.LIP(1), resamples=0)
        done.design.save(tmp_path / "c.json")
        content = json.loads((tmp_path / "c.json").read_text())
        content["kernel"][0][1] = [0.5]
        (tmp_path / "c.json").write_text(json.dumps(content))
        with pytest.raises(DataError, match="is no channel"):
            tables.load(tmp_path / "c.json")


def test_labels_are_escaped_in_the_page():
    table = pl.DataFrame({"s": ["<script>alert(1)</script>", "b"] * 20, "x": ["$x^2$", "<b>&"] * 20})
    found = tables.audit(table, secret="s", public="x", resamples=0)
    page = tables.audit_page(found)
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "&lt;b&gt;&amp;" in page
    assert "http" not in page.replace("http://www.w3.org", "")
