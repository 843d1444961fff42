"""The sentence that a rerun shows around a number that changed."""

from docutils import nodes

from companion.sphinx.reruns import around


def test_a_sentence_with_two_numbers_shows_no_markup():
    first, second = (
        nodes.inline("", "", nodes.Text(number)) for number in ("0.52", "0.15")
    )
    mark = nodes.raw("", '<mark title="in the book: 0.51">', format="html")
    end = nodes.raw("", "</mark>", format="html")
    text = [
        nodes.Text("The NMI is "),
        mark,
        first,
        end,
        nodes.Text(" at 2 and "),
        second,
        nodes.Text(" at 1."),
    ]
    nodes.paragraph("", "", *text)
    assert around(first) == ("The NMI is", "at 2 and 0.15 at 1.")
    assert around(second) == ("The NMI is 0.52 at 2 and", "at 1.")
