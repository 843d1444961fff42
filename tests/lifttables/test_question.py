"""A recommendation satisfies what was asked."""

import base64
import html
import json
import math
import re
import shlex

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from liftlib.errors import InvalidParameter
from lifttables.cli import main
from lifttables.designs.designing import design
from lifttables.recommendation.choosing import NOTIONS_AT
from lifttables.recommendation.question import Question, points, sanitise_command
from lifttables.releases.noising import with_noise

COUNTS = np.array([[900, 300, 100], [60, 200, 140], [40, 60, 200]])
OF = ["--secret", "ill", "--public", "age"]
FEW = ["--mechanisms", "subset-merging", "optimal", "--budgets", "0.5", "--quiet"]


def frame(counts=COUNTS):
    rows = [(s, x) for s in range(counts.shape[0]) for x in range(counts.shape[1]) for _ in range(counts[s, x])]
    return pl.DataFrame({"ill": [f"s{s}" for s, _ in rows], "age": [f"x{x}" for _, x in rows]})


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.setattr("lifttables.recommendation.trying.HAS_PROCESSES", False)
    path = tmp_path / "in.csv"
    frame().write_csv(path)
    return path


def likelihoods(path):
    """Return P(s, x) and P(y|s), shapes (S, X) and (S, Y), from a design file."""
    found = json.loads(path.read_text())
    table, kernel = np.array(found["table"]), np.zeros((len(found["table"][0]), len(found["texts"])))
    for x, (at, values) in enumerate(found["kernel"][: len(kernel)]):
        kernel[x, at] = values
    return table / table.sum(), table @ kernel / table.sum(axis=1, keepdims=True)


def largest_belief(p_s, lifts, prior):
    """Return the largest posterior of an event of a prior."""
    room, posterior = prior, 0.0
    for s in np.argsort(-lifts):
        taken = min(room, p_s[s])
        room, posterior = room - taken, posterior + taken * lifts[s]
    return posterior


def commands(out):
    return re.findall(r"^  (lift sanitise .*)$", out, flags=re.MULTILINE)


@pytest.mark.parametrize("adversary", ["shares", "any"])
@pytest.mark.parametrize(("belief", "at_most"), [("10%", "20%"), ("40 %", "50%"), ("2.5%", "8%")])
def test_the_recommended_release_keeps_beliefs_within_the_limit(people, capsys, adversary, belief, at_most):
    asked = ["--belief", belief, "--at-most", at_most, "--adversary", adversary]
    assert main(["choose", str(people), *OF, *FEW, *asked]) == 0
    (command,) = commands(capsys.readouterr().out)
    assert main([*shlex.split(command)[1:], "--resamples", "0"]) == 0
    p, given_s = likelihoods(people.with_name("in.released.PRIVATE.design.json"))
    prior, limit = (float(text.rstrip("% ")) / 100 for text in (belief, at_most))
    p_s = p.sum(axis=1)
    if adversary == "shares":
        lifts = given_s / (p_s @ given_s)
        assert max(largest_belief(p_s, column, prior) for column in lifts.T) <= limit + 1e-9
    else:
        # an event of the two-point prior on the secrets that an output tells apart best
        for column in given_s.T:
            posterior = prior * column.max() / (prior * column.max() + (1 - prior) * column.min())
            assert posterior <= limit + 1e-9


@pytest.mark.parametrize(
    ("adversary", "limits"),
    [
        ("shares", {"lip": math.log(2), "alip": math.log(2) / 0.7, "ldp": math.log(2.25) / 2}),
        ("any", dict.fromkeys(NOTIONS_AT, math.log(2.25) / 2)),
    ],
)
def test_budgets_are_those_of_the_closed_forms_rounded_down(adversary, limits):
    question = Question(0.1, 0.2, adversary)
    for name, limit in limits.items():
        budget = question.largest_budget(NOTIONS_AT[name], 0.2)
        assert limit - 1.0001e-4 <= budget <= limit
        assert question.bound(NOTIONS_AT[name](budget)) <= 0.2 < question.bound(NOTIONS_AT[name](budget + 1e-4))


def test_the_notion_is_chosen_by_what_is_retained(people):
    found = tables.choose(
        people, secret="ill", public="age", belief=0.1, at_most=0.2, epsilons=[], mechanisms=["optimal"]
    )
    (answer,) = found.answers
    assert len(answer.rows) == 3
    assert found.best.nmi == max(one.nmi for one in answer.rows)
    assert answer.rows[0] is found.best
    for one in answer.rows[1:]:
        assert f"{one.notion} {100 * one.nmi:.1f} %" in found.reason
    assert "A belief of 10 % in something about ill can become at most 20 %" in " ".join(found.words)


def test_accuracy_takes_the_smallest_budget(people, capsys):
    asked = ["--accuracy", "4", "--mechanisms", "randomised-response", "--notions", "lip", "--quiet"]
    assert main(["choose", str(people), *OF, *asked]) == 0
    (command,) = commands(capsys.readouterr().out)
    assert main([*shlex.split(command)[1:], "--resamples", "0", "--seed", "7"]) == 0
    card = tables.read_card(people.with_name("in.released.card.json"))

    def error(kernel):
        """By hand: the estimate is shares times the inverse of a square kernel."""
        p_y = COUNTS.sum(axis=0) / COUNTS.sum() @ kernel
        inverse = np.linalg.inv(kernel)
        covariance = inverse.T @ (np.diag(p_y) - np.outer(p_y, p_y)) @ inverse / COUNTS.sum()
        return 1.959964 * np.sqrt(np.diag(covariance)).max()

    assert 0.037 < error(card.kernel) <= 0.04
    found = tables.estimate(people.with_name("in.released.csv"), card)
    assert (found.high - found.unbiased).max() <= 0.041  # the draw's own shares are not the expected ones
    budget = float(re.search(r"--eps (\S+)", command)[1])
    counts = tables.Reading("ill", "age").counts(tables.open_table(people))
    (counts,) = with_noise([counts], None, bytes(32))
    smaller = design(counts, ll.LIP(budget - 0.02), "randomised-response")
    assert error(smaller.channel.kernel) > 0.039


def test_questions_without_an_answer_say_what_is_possible(people, capsys):
    few = ["choose", str(people), *OF, *FEW]
    assert main([*few, "--belief", "10%", "--at-most", "10.1%"]) == 6
    out = capsys.readouterr().out
    assert "no answer: no release that was tried retains more than 1 % of the information within 10.1 %" in out
    assert re.search(r"If a belief of 10 % may become \d+\.?\d* %, \S+ under \w+\(.*\) retains \d+\.\d %", out)
    assert not commands(out)
    assert main([*few, "--accuracy", "0.5"]) == 6
    # by hand: the share 1000 of 2000 has 1.96 sqrt(1/4 / 2000) = 2.19 points, and z^2 / 2n = 0.1 points of skewness
    assert "even the shares in the table itself have an error of 2.29 percentage points" in capsys.readouterr().out
    with_zero = frame(np.array([[900, 0], [500, 600]]))
    # by hand: the share 600 of 2000 is known to 2.01 + 0.10 points, and LIP takes noise or merging
    for mechanism, message in (
        ("optimal", r"no release that was tried is so accurate. Possible are 2\.\d+ percentage points, by optimal"),
        ("watchdog", "no release that was tried lets every share be estimated"),
    ):
        found = tables.choose(
            with_zero, secret="ill", public="age", accuracy=0.0212, mechanisms=[mechanism], notions=["lip"]
        )
        assert found.best is None
        assert re.match(message, found.reason)


def test_three_options_without_a_question(people, capsys):
    assert main(["choose", str(people), *OF, *FEW, "--page", str(people.with_name("c.html"))]) == 0
    out = capsys.readouterr().out
    assert [out.count(f"{label}: For somebody who") for label in ("stricter", "middle", "looser")] == [1, 1, 1]
    assert len(commands(out)) == 3
    page = people.with_name("c.html").read_text()
    assert shlex.join(shlex.split(commands(out)[1])) in page.replace("&#39;", "'")
    picture = base64.b64decode(re.search(r"base64,([^\"]+)", page)[1]).decode()
    assert picture.count("recommended:") == 1
    found = tables.choose(frame(), secret="ill", public="age", epsilons=[], mechanisms=["optimal"], notions=["lip"])
    assert [one.best.eps for one in found.answers] == [0.4054, 0.6931, 1.0986]  # log of 1.5, 2 and 3, rounded down
    assert found.recommended.label == "middle"
    assert not found.recommended.command  # a frame is no file


def test_the_command_names_every_option_of_the_table():
    how = tables.Reading(
        ("a b",), ("x", "y"), bins=("x=1,2",), missing="drop", na=("NA", "-"), rare="pool", min_count=7, separator="\t"
    )
    words = shlex.split(sanitise_command("my data.tsv", how, 0.9, ll.ALIP(1.0, 0.5), "optimal"))
    assert words == [
        *["lift", "sanitise", "my data.tsv", "--secret", "a b", "--public", "x", "y", "--bin", "x=1,2"],
        *["--na", "NA", "-", "--missing", "drop", "--rare", "pool", "--min-count", "7", "--separator", "tab"],
        *["--notion", "alip", "--eps-l", "1", "--eps-u", "0.5", "--mechanism", "optimal", "--confidence", "0.9"],
        *["-o", "my data.released.csv".replace("csv", "tsv")],
    ]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"belief": 0.1}, "belong together"),
        ({"belief": 0.1, "at_most": 1.0}, "at_most is 1"),
        ({"belief": 0.0, "at_most": 0.5}, "belief is 0"),
        ({"belief": 0.3, "at_most": 0.2}, "allow more than 30 %"),
        ({"belief": 0.1, "at_most": 0.2, "accuracy": 0.02}, "exclude each other"),
        ({"accuracy": math.nan}, "accuracy is nan"),
        ({"adversary": "nobody"}, "adversary is 'nobody'"),
    ],
)
def test_wrong_questions(more, message):
    with pytest.raises(InvalidParameter, match=message):
        tables.choose(frame(), secret="ill", public="age", **more)


def test_points_are_rounded_up():
    assert points(0.02001) == "2.01 percentage points"
    assert points(0.02) == "2 percentage points"


@pytest.mark.parametrize(
    "asked", [["--at-most", "20%", "--belief", "10%"], ["--accuracy", "6"]], ids=["belief", "accuracy"]
)
@pytest.mark.parametrize("more", [[], ["--missing", "drop"], ["--confidence", "none"]], ids=str)
@pytest.mark.filterwarnings("ignore")
def test_the_page_excludes_what_the_card_of_the_release_excludes(people, capsys, asked, more):
    page = people.with_suffix(".html")
    assert main(["choose", str(people), *OF, *FEW, *asked, *more, "--page", str(page)]) == 0
    (command,) = commands(capsys.readouterr().out)
    assert main([*shlex.split(command)[1:], "--resamples", "0"]) == 0
    card = tables.read_card(people.with_name("in.released.card.json"))
    text = html.unescape(page.read_text())
    listed = re.findall("<li>(.*?)</li>", text[text.index("Limits that its card will state") :].partition("</ul>")[0])
    assert tuple(listed) == card.not_covered
