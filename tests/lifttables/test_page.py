"""An audit's page shows labels as text."""

import html

import polars as pl

import liftlib as ll
import lifttables as tables


def test_labels_are_escaped_in_the_page():
    table = pl.DataFrame({"s": ["<script>alert(1)</script>", "b"] * 20, "x": ["$x^2$", "<b>&"] * 20})
    found = tables.audit(table, secret="s", public="x", resamples=0)
    page = tables.audit_page(found)
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "&lt;b&gt;&amp;" in page
    assert "http" not in page.replace("http://www.w3.org", "")


def test_each_bound_that_breaks_has_a_line():
    """Under SRLIP a symbol may break several; on one line they ran out of the page."""
    table = pl.DataFrame({"s": ["<i>", "b"] * 20, "x": ["u", "v"] * 20, "z": ["m", "m", "f", "f"] * 10})
    found = tables.audit(table, secret="s", public=["x", "z"], resamples=0, notion=ll.SRLIP(0.1, (2, 2)))
    page = tables.audit_page(found)
    assert all(len(one.broken) > 1 for one in found.symbols)
    for one in found.symbols:
        assert ";<br>".join(html.escape(str(broken)).replace("&#x27;", "&#39;") for broken in one.broken) in page
    assert "<i>" not in page
