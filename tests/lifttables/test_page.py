"""Pages of audits and releases: labels are text, and a release has two sheets that say
what the terminal says.
"""

import html
import re
import shutil
import subprocess

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from lifttables.files import percent
from lifttables.page import documents, release_page
from lifttables.releases.pipeline import release
from lifttables.releases.telling import headline, told

NO_NOISE = 50.0
SIZES = [(2, 4, 1000), (3, 6, 1000), (5, 10, 5000), (14, 6, 5000)]


def released_frame(n_secret, n_public, rows, merge=True, notion=None):
    rng = np.random.default_rng(n_public)
    law = rng.dirichlet(np.full(n_public, 3.0), n_secret)
    s = rng.integers(n_secret, size=rows)
    x = [int(rng.choice(n_public, p=law[one])) for one in s]
    frame = pl.DataFrame(
        {
            "diagnosis": [f"a long diagnosis {i}" for i in s],
            "age_band": [f"{10 * i}s" for i in x],
        }
    )
    how = tables.Reading("diagnosis", "age_band", rare="pool")
    plan = tables.Plan(how, notion or ll.LIP(1.0), merge=merge, noise=NO_NOISE)
    return release(tables.open_table(frame), plan, lambda _, sanitised: sanitised), plan


def test_the_headline_is_of_the_belief_that_was_asked_about():
    done, _ = released_frame(2, 4, 1000, notion=tables.Question(0.02, 0.2))
    _, most = done.card.promise.belief(0.02)
    assert most > 0.1
    assert all(percent(one, up=True) in headline(done.card) for one in (0.02, most))


def test_labels_are_escaped_in_the_page():
    table = pl.DataFrame(
        {"s": ["<script>alert(1)</script>", "b"] * 20, "x": ["$x^2$", "<b>&"] * 20}
    )
    found = tables.audit(table, secret="s", public="x", resamples=0)
    page = tables.audit_page(found)
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "&lt;b&gt;&amp;" in page
    assert "http" not in page.replace("http://www.w3.org", "")


def text_of_page(page):
    return " ".join(
        html.unescape(
            re.sub(r"<style.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL)
        ).split()
    )


@pytest.mark.parametrize("merge", [False, True])
def test_a_releases_page_says_what_the_terminal_says(merge):
    done, plan = released_frame(2, 4, 1000, merge)
    page = text_of_page(documents(done, plan)[1])
    for sentences in [
        [headline(done.card)],
        *told(done, plan).values(),
        done.audit.notes,
    ]:
        assert all(" ".join(sentence.split()) in page for sentence in sentences)
    rows = documents(done, plan)[1].count("<tr>")
    assert rows == 1 + done.design.channel.n_outputs


@pytest.mark.skipif(shutil.which("chromium") is None, reason="Chromium prints it")
@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_releases_page_prints_on_two_sheets(tmp_path, size, merge):
    (tmp_path / "page.html").write_text(
        release_page(*released_frame(*size, merge, ll.LIP(2.0)))
    )
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    command = [
        "chromium",
        *words,
        f"--print-to-pdf={tmp_path / 'page.pdf'}",
        (tmp_path / "page.html").as_uri(),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    assert len(re.findall(rb"/Type /Page\b", (tmp_path / "page.pdf").read_bytes())) <= 2
