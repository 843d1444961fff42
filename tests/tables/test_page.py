"""An audit's page shows labels as text."""

import polars as pl

from liftlib import tables


def test_labels_are_escaped_in_the_page():
    table = pl.DataFrame({"s": ["<script>alert(1)</script>", "b"] * 20, "x": ["$x^2$", "<b>&"] * 20})
    found = tables.audit(table, secret="s", public="x", resamples=0)
    page = tables.audit_page(found)
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "&lt;b&gt;&amp;" in page
    assert "http" not in page.replace("http://www.w3.org", "")
