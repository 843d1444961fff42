"""Labels that look alike, hold what stands between labels, or are mark-up."""

import html.parser
import itertools
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from messages import raised

import liftlib as ll
import lifttables as tables
from liftlib.errors import DataError
from lifttables.encoding.columns import Column, Symbols
from lifttables.encoding.counting import named
from lifttables.encoding.naming import texts_of_outputs

CAFE = ["\u00e9t\u00e9", "e\u0301t\u00e9"]


def audited_labels(labels):
    """An audit of a column with these labels, each as often with either secret."""
    frame = pl.DataFrame({"s": ["a", "b"] * 20 * len(labels), "x": list(labels) * 40})
    return frame, tables.audit(frame, secret="s", public="x", resamples=0)


@pytest.mark.parametrize(
    "labels",
    [
        CAFE,
        ["a", "a "],
        ["a b", "a\u00a0b"],
        ["a", "a\u200b"],
        ["a  b", "a b"],
        ["Yes", "yes"],
        ["\u212b", "\u00c5"],
        ["a\tb", "a b"],
    ],
)
def test_labels_that_look_alike_are_told_and_stay_apart(labels):
    frame, found = audited_labels([*labels, "other"])
    assert {symbol.symbol for symbol in found.symbols} == {*labels, "other"}
    notes = [
        *found.notes,
        *tables.audit(frame, secret="x", public="s", resamples=0).notes,
    ]
    one, other = [
        note for note in notes if all(ascii(label) in note for label in labels)
    ]
    assert one.isascii()  # so that it shows what cannot be seen
    assert other.isascii()


def test_a_column_written_otherwise_is_named_so_that_it_can_be_seen():
    with raised(DataError):
        tables.open_table(pl.DataFrame({CAFE[1]: ["a"]})).check([CAFE[0]])


def test_labels_with_what_stands_between_labels():
    """'a & b' and 'c' is not 'a' and 'b & c', in counts, audit and release."""
    frame = pl.DataFrame(
        {
            "s": ["p", "q"] * 60,
            "x": ["a & b", "a", "a or b"] * 40,
            "z": ["c", "b & c", "d"] * 40,
        }
    )
    found = tables.audit(frame, secret="s", public=["x", "z"], resamples=0)
    assert {one.symbol for one in found.symbols} == {
        "'a & b' & 'c'",
        "'a' & 'b & c'",
        "'a or b' & 'd'",
    }
    done = tables.sanitise(
        frame, secret="s", public=["x", "z"], notion=ll.LIP(5.0), rng=1
    )
    assert sorted(map(tuple, done.frame.select("x", "z").unique().rows())) == sorted(
        set(done.card.texts)
    )
    assert len(done.card.texts) == 3


@pytest.mark.parametrize("label", ["x #1", "x #2", "x or y #3"])
def test_a_label_that_ends_in_an_outputs_number(label):
    symbols = Symbols((Column("x"),), (("x",), ("y",), (label,)))
    for sources in itertools.permutations([(0,), (0,), (2,), (0, 1), (0, 1)]):
        assert len(set(texts_of_outputs(symbols, sources))) == 5


class _Tags(html.parser.HTMLParser):
    found: tuple = ()

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        self.found += (tag,)


@pytest.mark.parametrize(
    "label",
    [
        "<script>a</script>",
        "[a](http://b)",
        "a|b",
        "`a`",
        "*a*",
        "a\nb",
        "a\\|b",
        "# a",
    ],
)
def test_a_label_is_no_mark_up_of_the_card(label):
    markdown = pytest.importorskip("markdown_it").MarkdownIt(
        "commonmark", {"html": True}
    )
    frame = pl.DataFrame(
        {"s": ["a", "b"] * 40, label: [label, "other"] * 20 + ["other", label] * 20}
    )
    done = tables.sanitise(frame, secret="s", public=label, notion=ll.LIP(5.0))
    page = markdown.render(done.card.as_text())
    tags = _Tags()
    tags.feed(page)
    assert set(tags.found) <= {"h1", "h2", "p", "ul", "li", "code"}
    assert page.count("<h1>") == 1
    shown = label.replace("\n", " ")
    escaped = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert f"<h1>{escaped}, released</h1>" in page


def test_a_message_names_a_few_columns():
    assert named(["a"]) == "column 'a'"
    assert named(["a", "b"]) == "columns 'a', 'b'"
    assert (
        named([f"c{i}" for i in range(300)])
        == "columns 'c0', 'c1', 'c2', 'c3', 'c4', 'c5' and 294 more"
    )


@given(hnp.arrays(float, (4, 3), elements=st.floats(0.01, 1)))
def test_the_first_label_of_a_text_is_the_most_frequent_one(p_xy):
    symbols = Symbols((Column("x"),), (("a",), ("b",), ("c",), ("(missing)",)))
    texts = texts_of_outputs(symbols, [(0, 1, 2, 3)] * 3, p_xy)
    for (text,), column in zip(texts, p_xy.T, strict=True):
        first = re.split(" or | #", text)[0]
        first = first.removeprefix("mostly ").removeprefix("perhaps ")
        assert column[symbols.labels.index((first,))] >= column.max() - 1e-8
