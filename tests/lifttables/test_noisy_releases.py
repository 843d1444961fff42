"""Releases that are designed from noisy counts: what they tell, to whom, and that the same table has the same noise."""

import json
import math
import stat
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import liftlib as ll
import lifttables as tables
from liftlib.errors import InvalidParameter
from lifttables.cli import main
from lifttables.designs.designing import design
from lifttables.designs.statement import NO_LIMIT
from lifttables.encoding.columns import Column, Counts, Symbols
from lifttables.files import state_folder
from lifttables.population.noise import geometric_noise, noise_pmf
from lifttables.population.noisy import NoisyCounts
from lifttables.releases.card import card_of
from lifttables.releases.noising import level_for, secret_key, with_noise
from lifttables.sources.source import open_table

WORDS = {"secret": "ill", "public": "age", "resamples": 0}


def counts_of(table, noisy=None):
    s, x = (
        Symbols((Column(name),), tuple((f"{name}{i}",) for i in range(n)))
        for name, n in zip("sx", np.shape(table), strict=True)
    )
    return Counts(np.array(table, dtype=float), s, x, noisy=noisy)


def people(n=1000, seed=0, secrets=3):
    rng = np.random.default_rng(seed)
    ill = rng.integers(0, secrets, n)
    age = np.where(rng.random(n) < 0.5, ill * 2 + rng.integers(0, 2, n), rng.integers(0, 6, n))
    return pl.DataFrame({"ill": ill, "age": age}).cast(pl.String)


@pytest.mark.parametrize("mechanism", ["subset-merging", "optimal", "randomised-response"])
def test_the_kernel_is_always_on_the_card_and_gives_estimates(mechanism):
    found = tables.sanitise(people(), **WORDS, notion=ll.LIP(1.0), mechanism=mechanism)
    assert found.card.kernel == pytest.approx(found.design.channel.kernel)
    assert found.card.noise == 1.0
    if found.design.channel.n_outputs > 1 and mechanism != "subset-merging":
        shares = tables.estimate(found.frame, found.card)
        assert shares.projected.sum() == pytest.approx(1.0)
    assert [kept.whom for kept in found.card.kept] == ["the population"]


def test_everything_on_a_card_is_a_function_of_the_noisy_counts():
    """Two tables with the same noisy counts have the same card and design, but for the table itself."""
    rng = np.random.default_rng(0)
    one = rng.multinomial(900, np.full(18, 1 / 18)).reshape(3, 6)
    other = one.copy()
    other[0, 1], other[1, 4] = other[0, 1] - 20, other[1, 4] + 20
    noisy = NoisyCounts((one + geometric_noise(one.shape, 1.0, rng)).astype(float), 900, 1.0, (1,) * 6)
    for mechanism in ("subset-merging", "optimal", "randomised-response", "watchdog", "best-partition"):
        designs = [design(counts_of(table, noisy), ll.LIP(1.0), mechanism) for table in (one, other)]
        cards = [card_of(made).as_dict() for made in designs]
        cards = [{key: value for key, value in card.items() if key not in ("made", "cite", "digest")} for card in cards]
        assert cards[0] == cards[1]
        contents = [{key: value for key, value in made.content().items() if key != "table"} for made in designs]
        assert contents[0] == contents[1]


def test_the_same_table_has_the_same_noise_and_other_tables_have_other_noise():
    counts = counts_of(np.full((2, 4), 50))
    neighbour = counts_of(np.full((2, 4), 50) + np.array([[1, 0, 0, 0], [-1, 0, 0, 0]]))
    key = bytes(range(32))
    drawn = ((counts, key), (counts, key), (neighbour, key), (counts, bytes(32)))
    noise = [with_noise([of], None, by)[0].noisy.table - of.table for of, by in drawn]
    assert (noise[0] == noise[1]).all()
    assert (noise[0] != noise[2]).any()
    assert (noise[0] != noise[3]).any()


def test_fewer_columns_have_the_noise_of_all():
    frame = people().with_columns(sex=pl.Series(np.random.default_rng(1).integers(0, 2, 1000)).cast(pl.String))
    reading = tables.Reading("ill", ("age", "sex"), rare="keep")
    choices = with_noise(reading.choices(open_table(frame), 0.95), 1.0, bytes(32))
    full = choices[0]
    for choice in choices[1:]:
        assert choice.noisy.table.sum() == full.noisy.table.sum()
        assert sum(choice.noisy.cells) == len(full.public.labels)
        assert choice.noisy.rows == full.noisy.rows


def test_many_symbols_are_split_before_the_noise():
    table = np.full((2, 20), 40)
    noisy = with_noise([counts_of(table)], 1.0, bytes(32))[0].noisy
    assert noisy.rows == 1200
    assert np.abs(noisy.choosers + noisy.table - table).max() < 40
    made = design(with_noise([counts_of(table)], 1.0, bytes(32))[0], ll.LIP(1.0), "subset-merging")
    assert made.channel.partition is not None


def test_the_level_depends_on_rows_and_cells_alone():
    assert [level_for(n, 8) for n in (50, 300, 1000, 10**4, 10**6)] == [1.0, 1.0, 0.7, 0.2, 0.1]
    levels = [level_for(n, 18) for n in range(1, 500_000, 371)]
    assert levels == sorted(levels, reverse=True)
    assert (max(levels), min(levels)) == (1.0, 0.1)


@pytest.mark.parametrize("noise", [0, -1.0, 1e-300, 0.04, float("nan"), float("inf")])
def test_a_wrong_level(noise):
    with pytest.raises(InvalidParameter, match="noise is"):
        tables.sanitise(people(), **WORDS, notion=ll.LIP(1.0), noise=noise)


def test_the_key_is_made_once_and_private(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    first = secret_key()
    assert secret_key() == first
    (file,) = state_folder().iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(first) == 32
    file.write_bytes(b"junk")
    with pytest.warns(ll.LiftWarning, match="is damaged, so a new key replaces it"):
        second = secret_key()
    assert first != second == secret_key()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.warns(ll.LiftWarning, match="cannot keep the key of the noise in"):
        assert secret_key() != secret_key()


def test_a_card_states_both_promises():
    card = tables.sanitise(people(), **WORDS, notion=ll.LIP(0.5), noise=0.25).card
    odds = math.exp(2 * 0.5 + 2 * 0.25) / 9
    most = math.ceil(1000 * odds / (1 + odds)) / 10
    assert f"Somebody who knows all other rows can turn a belief of 10 % into at most {most:g} %" in card.words[-1]
    assert "A belief of 10 % in something about ill can become at most 16.5 %" in card.words[1]


def test_no_bound_for_an_insider_where_the_noise_can_be_repeated():
    seeded = tables.sanitise(people(), **WORDS, notion=ll.LIP(0.5), rng=0).card
    assert seeded.words[-1].endswith(
        "For somebody who knows more about ill, such as all other rows, there is no limit."
    )
    assert any(NO_LIMIT in limit for limit in seeded.not_covered)
    kept = tables.sanitise(people().with_columns(z=pl.lit("z")), **WORDS, notion=ll.LIP(0.5), keep=["z"]).card
    assert "Somebody who knows all other rows can turn a belief of 10 % into at most " in kept.words[-1]


@pytest.mark.parametrize("column", ["visits", "age"])
def test_no_bound_for_an_insider_where_the_rows_cut_the_bins(tmp_path, monkeypatch, column):
    """One row moves a median, and with it all rows between two values."""
    monkeypatch.chdir(tmp_path)
    ages = {(0, 20): 57, (0, 40): 3, (1, 20): 30, (1, 40): 60, (5, 20): 77, (5, 40): 73}
    rows = [(visits, age) for (visits, age), n in ages.items() for _ in range(n)]
    of = ["in.csv", "--secret", "visits", "--public", "age", "--bin", f"{column}=quantiles:2"]
    outputs = []
    for last in (1, 5):
        pl.DataFrame([*rows, (last, 20)], schema=["visits", "age"], orient="row").write_csv("in.csv")
        assert main(["release", *of, "--notion", "lip", "--eps", "0.7", "-o", "out.csv", "--force"]) == 0
        card = json.loads(Path("out.card.json").read_text())
        assert any("there is no limit" in sentence for sentence in card["words"])
        assert any(f"The bins end at quantiles of these rows, {NO_LIMIT}" in limit for limit in card["not_covered"])
        outputs.append(len(card["texts"]))
        Path("in.csv.PRIVATE.releases.json").unlink()
    assert (outputs == [1, 2]) is (column == "visits")  # the card tells the last row's secret


def test_noise_of_a_whole_table_and_of_its_parts_does_not_cancel():
    """Noisy counts of all rows, less those of both parts, would otherwise show nothing but a part's noise."""
    counts = counts_of(np.full((2, 20), 400.0))
    whole, parts = (with_noise([counts], 1.0, bytes(32), most)[0].noisy for most in (25, 15))
    assert whole.choosers is None
    assert np.std(whole.table - parts.table - parts.choosers) > 1.5  # three independent noises: sqrt(3 * 1.84)


def test_further_noise_of_the_same_rows_adds_up(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().write_csv("in.csv")
    words = ["release", "in.csv", "--secret", "ill", "--public", "age", "--notion", "lip"]
    cards = []
    for number, eps, noise in ((1, "0.2", "0.5"), (2, "0.25", "0.5"), (3, "0.2", "1")):
        assert main([*words, "--eps", eps, "--noise", noise, "-o", f"{number}.csv"]) == 0
        cards.append(json.loads(Path(f"{number}.card.json").read_text()))
    growth = [sentence for card in cards for sentence in card["words"] if "all other rows" in sentence]
    assert [card["noise"] for card in cards] == [0.5, 0.5, 1.0]
    assert len(growth) == 2 * len(cards)
    assert all("comes from the choice of this value alone" in sentence for sentence in growth[1::2])
    for sentence, exponent in zip(growth[::2], (0.4 + 1.0, 0.5 + 1.0, 0.4 + 3.0), strict=True):
        odds = math.exp(exponent) / 9
        assert f"into at most {math.ceil(1000 * odds / (1 + odds) - 1e-9) / 10:g} %" in sentence


def test_how_often_counts_got_noise_survives_a_file():
    made = NoisyCounts(np.array([[30.0, 41.0], [12.0, 55.0]]), 138, 0.2, (1, 1), None, 3)
    again = NoisyCounts.from_content(json.loads(json.dumps(made.content())))
    assert again.insider == made.insider == 2 * 0.2 * 3


def law(n_s, n_x, seed):
    rng = np.random.default_rng([77, n_s, n_x, seed])
    p_s, base = rng.dirichlet(np.full(n_s, 8.0)), rng.dirichlet(np.full(n_x, 2.0))
    return p_s[:, None] * np.stack([0.6 * base + 0.4 * rng.dirichlet(np.ones(n_x)) for _ in range(n_s)])


RARE = [
    np.array([[0.5, 0.3, 0.195], [0.0, 0.0, 0.005]]),
    np.array([[0.5, 0.3, 0.199], [0.0, 0.0, 0.001]]),
    np.array([[0.4, 0.3, 0.2998], [0.0001, 0.0001, 0.0]]),
    np.array([[0.3, 0.3, 0.2], [0.05, 0.05, 0.09], [0.0, 0.0, 0.01]]),
]
BOUNDARY = [np.array([[0.3, 0.2], [0.2, 0.3]]), np.array([[0.5, 0.4], [0.06, 0.04]])]
LAWS = [*RARE, *BOUNDARY, *(law(2, 3, seed) for seed in range(3)), *(law(3, 4, seed) for seed in range(3))]


def kept(p, notion, n, seed, mechanism="subset-merging", c=None):
    """Whether the design for a table of this law, with the values given, satisfies the notion under the law."""
    counts = counts_of(np.random.default_rng(seed).multinomial(n, p.ravel()).reshape(p.shape))
    made = design(with_noise([counts], c, bytes([seed % 256] * 32))[0], notion, mechanism)
    return notion.is_satisfied(ll.Joint(p), made.channel)


@pytest.mark.parametrize("p", LAWS, ids=[str(at) for at in range(12)])
def test_the_promise_holds_under_twelve_laws_with_rare_and_absent_values(p):
    notions = (ll.LIP(1.0), ll.LIP(0.2209))
    held = [kept(p, notion, n, seed) for notion in notions for n in (300, 1000) for seed in range(5)]
    assert np.mean(held) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ["subset-merging", "optimal"])
@pytest.mark.parametrize("p", LAWS, ids=[str(at) for at in range(12)])
def test_the_promise_holds_in_two_hundred_tables_of_each_law(p, mechanism):
    notions = ((ll.LIP(1.0), 300), (ll.LIP(0.2209), 1000))
    held = [kept(p, *notions[seed % 2], seed, mechanism) for seed in range(200)]
    assert np.mean(held) >= 0.95


SMALL = np.array([[30, 15], [12, 23]])


def plausible(c, draws, seed=9):
    """Numbers of tables in the attacker's 95 % set, who has the noisy counts, the release, the kernel and each N_s."""
    of_s = SMALL.sum(axis=1)
    every = np.array([[[a, of_s[0] - a], [b, of_s[1] - b]] for a in range(of_s[0] + 1) for b in range(of_s[1] + 1)])
    of_x, rng, sizes, of_truth = every.sum(axis=1), np.random.default_rng(seed), [], []
    true = int(np.flatnonzero((every == SMALL).all(axis=(1, 2)))[0])
    for _ in range(draws):
        noisy = SMALL + geometric_noise((2, 2), c, rng)
        record = NoisyCounts(noisy.astype(float), 80, c, (1, 1))
        kernel = design(counts_of(SMALL, record), ll.LIP(0.5), "optimal").channel.kernel
        logs = -c * np.abs(noisy - every).sum(axis=(1, 2))
        if kernel.shape[1] == 2:
            released = sum(rng.binomial(n, row[0]) for n, row in zip(SMALL.sum(axis=0), kernel, strict=True))
            binomial = {u: stats.binom.pmf(np.arange(u + 1), u, kernel[0, 0]) for u in set(of_x[:, 0])}
            rest = {v: stats.binom.pmf(np.arange(v + 1), v, kernel[1, 0]) for v in set(of_x[:, 1])}
            pairs, place = np.unique(of_x, axis=0, return_inverse=True)
            fits = np.array([np.convolve(binomial[u], rest[v])[released] for u, v in pairs])
            logs = logs + np.log(fits + 1e-300)[place.ravel()]
        p = np.exp(logs - logs.max())
        p /= p.sum()
        sizes.append(int(np.searchsorted(np.cumsum(np.sort(p)[::-1]), 0.95)) + 1)
        of_truth.append(p[true])
    return np.median(sizes), np.mean(of_truth)


def test_the_card_and_the_release_no_longer_give_the_table():
    """One of 1,656 tables fitted a card that had the kernel of the exact counts."""
    (at_one, p_one), (at_half, p_half) = plausible(1.0, 20), plausible(0.5, 20)
    assert 8 <= at_one < at_half
    assert at_half >= 40
    assert p_half < p_one < 0.3


@pytest.mark.parametrize("c", [0.1, 0.5, 1.0, 2.0])
def test_the_last_row_is_guessed_no_better_than_stated(c):
    """By somebody who knows all other rows and this row's public value, and sees the noisy counts themselves."""
    pmf = noise_pmf(1, c)
    moved = np.append(pmf, 0.0), np.append(0.0, pmf)
    either = np.outer(moved[1], moved[0]), np.outer(moved[0], moved[1])  # the row is in one cell, or in the other
    right = np.maximum(*either).sum() / 2
    assert right <= math.exp(2 * c) / (1 + math.exp(2 * c))
    assert right > 0.5


def test_nobody_who_knows_all_other_rows_learns_more_than_stated():
    """The odds after noisy counts, kernel and shuffled outputs, by summing over all that can be drawn."""
    c, others, rng = 0.5, np.array([[3, 1], [1, 2]]), np.random.default_rng(0)
    x_given_s = np.array([[0.7, 0.3], [0.4, 0.6]])
    moved = []
    for _ in range(60):
        noisy = others + geometric_noise((2, 2), c, rng) * 3
        record = NoisyCounts(noisy.astype(float), 8, c, (1, 1))
        kernel = design(counts_of(others, record), ll.LIP(3.0), "randomised-response").channel.kernel
        y_given_s = x_given_s @ kernel
        of_others = np.ones(1)
        for x, n in enumerate(others.sum(axis=0)):
            of_others = np.convolve(of_others, stats.binom.pmf(np.arange(n + 1), n, kernel[x, 0]))
        likelihood = np.zeros((2, len(of_others) + 1))
        for s in range(2):
            for x in range(2):
                table = others.copy()
                table[s, x] += 1
                of_noise = math.exp(-c * np.abs(noisy - table).sum())
                released = np.convolve(of_others, kernel[x, 1::-1] if kernel.shape[1] == 2 else [1.0, 0.0])
                likelihood[s, : len(released)] += x_given_s[s, x] * of_noise * released
        ratio = likelihood[0] / likelihood[1]
        allowed = math.exp(2 * c) * max((y_given_s[0] / y_given_s[1]).max(), (y_given_s[1] / y_given_s[0]).max())
        assert max(np.nanmax(ratio), 1 / np.nanmin(ratio)) <= allowed * (1 + 1e-9)
        moved.append(max(np.nanmax(ratio), 1 / np.nanmin(ratio)))
    assert max(moved) > math.exp(c)  # the attack is one
