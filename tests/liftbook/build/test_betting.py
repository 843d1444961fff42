"""The betting game in Chromium."""

import re

import numpy as np
import pytest

import liftlib as ll
from liftbook.build.sphinx.pictures import game, game_in_page

JOINT = ll.datasets.hundred_people()


@pytest.mark.parametrize(
    "mechanism",
    ["watchdog", "subset-merging", "subset-response", "randomised-response"],
)
@pytest.mark.parametrize("eps", [0.2, 1.0, 3.0])
def test_the_game_is_about_what_the_mechanism_publishes(mechanism, eps):
    data = game(eps, mechanism)
    channel = ll.design(JOINT, ll.ALIP(eps / 2, eps / 2), mechanism)
    assert np.allclose(np.array(data["p"]), JOINT.p @ channel.kernel, atol=1e-12)
    assert len(data["outputs"]) == channel.kernel.shape[1]


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_twenty_bets(browser, tmp_path):
    path = tmp_path / "game.html"
    path.write_text(
        "<!doctype html><meta"
        f" charset=utf-8><title>Bets</title>{game_in_page(game(1.0, 'watchdog'))}",
        "utf-8",
    )
    page = browser.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path.as_uri())
    back, seen = [], []
    for turn in range(20):
        status = page.locator("[role=status]").nth(1).inner_text()
        assert status.startswith(f"Person {turn + 1} of 20. Released: ")
        seen.append(re.search("Released: (.*?)\\.", status)[1])
        button = page.get_by_role("button").nth(turn % 3)
        button.focus()
        page.keyboard.press("Enter")
        won = re.search(
            r"you get ([\d.]+\d|nothing)", page.locator(".lift-result").inner_text()
        )
        assert (won is None) == (turn % 3 == 2), "no bet pays nothing and costs nothing"
        if won:
            back.append(0.0 if won[1] == "nothing" else float(won[1]))
    assert set(back) <= {0.0, 5.0, 1.25}
    told = page.locator("[role=status]").nth(1).inner_text()
    per_coin = re.search(
        rf"You placed 14 coins and got {sum(back):.2f} back, (\d+\.\d\d) per coin\.",
        told,
    )[1]
    # a tie such as 0.625 is rounded up by the page
    assert float(per_coin) == pytest.approx(sum(back) / 14, abs=0.0051)
    channel = ll.design(JOINT, ll.ALIP(0.5, 0.5), "watchdog")
    p = JOINT.p @ channel.kernel
    lifts = p / np.outer(p.sum(axis=1), p.sum(axis=0))
    numbers = re.search(
        "returns ([\\d.]+) after “middle” and ([\\d.]+) after “young or old”.* absence"
        " ([\\d.]+) and (.*?): ",
        told,
    )
    assert [float(one) for one in numbers.groups()] == pytest.approx(
        lifts.ravel().tolist(), abs=0.0051
    )
    assert f" {np.exp(0.5):.2f} per coin" in told
    assert set(seen) <= {"middle", "young or old"}
    page.get_by_role("button", name="Play again").click()
    assert (
        page.locator("[role=status]").nth(1).inner_text().startswith("Person 1 of 20.")
    )
    assert not complaints
    page.close()


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_people_are_drawn_by_their_shares(browser, tmp_path):
    path = tmp_path / "game.html"
    data = game(1.0, "watchdog")
    path.write_text(
        f"<!doctype html><meta charset=utf-8><title>Bets</title>{game_in_page(data)}",
        "utf-8",
    )
    page = browser.new_page()
    page.add_init_script(
        "let turn = 0; Math.random = () => ((turn++ % 1000) + 0.5) / 1000;"
    )
    page.goto(path.as_uri())
    counts = page.evaluate("""() => {
        const seen = {};
        for (let turn = 0; turn < 1000; turn++) {
            const said = document.querySelectorAll("[role=status]");
            const output = /Released: (.*?)\\./.exec(said[1].textContent)[1];
            document.querySelectorAll("button")[2].click();
            const has = said[0].textContent.startsWith("The person has");
            seen[`${output} ${has}`] = (seen[`${output} ${has}`] ?? 0) + 1;
            const left = document.querySelectorAll("button");
            if (left.length === 1) left[0].click();
        }
        return seen;
    }""")
    expected = {
        f"{name} {str(has).lower()}": round(1000 * data["p"][row][y])
        for row, has in ((0, True), (1, False))
        for y, name in enumerate(data["outputs"])
    }
    assert counts == expected
    page.close()
