"""Two independent readings of the papers, and how disagreements were resolved.

``data/sentences.csv`` has the kinds that the two readers gave a sentence, and whether
each thought that a computation could contradict it. The fields are empty if a reader
did not note the sentence, and name several places if it was noted as a part of another.
"""

from __future__ import annotations

import pandas as pd

from liftbook.claims import read_claims, read_sentences
from liftlib.errors import DataError

ANSWERS = ("yes", "partly", "no", "")
KNOWN = "yes, partly or no"
COLUMNS = (
    "paper",
    "place",
    "says",
    "kind_1",
    "testable_1",
    "place_2",
    "kind_2",
    "testable_2",
)


def disagreed_kind(kind_1: str, kind_2: str) -> bool:
    """Return whether both readers gave kinds, and the second's exclude the first's.

    Examples
    --------
    >>> (
    ...     disagreed_kind("result", "result verbal"),
    ...     disagreed_kind("result", "verbal"),
    ...     disagreed_kind("", "verbal"),
    ... )
    (False, True, False)
    """
    return bool(kind_1) and bool(kind_2) and kind_1 not in kind_2.split()


def readers() -> pd.DataFrame:
    """Return both readers' notes on each sentence, with the final decisions.

    Returns
    -------
    pandas.DataFrame
        ``COLUMNS``, and ``noted`` (both, first, second or neither), ``kind_differs``,
        ``testable_differs`` and ``decided``: the kinds of the claims that test the
        sentence, or why none does.

    Raises
    ------
    DataError
        If a row has an unknown answer.
    """
    kinds, records = {claim.id: claim.kind for claim in read_claims()}, []
    for sentence in read_sentences():
        row = {name: getattr(sentence, name) for name in COLUMNS}
        for answer in (sentence.testable_1, sentence.testable_2):
            if answer not in ANSWERS:
                raise DataError(
                    f"sentences.csv, {sentence.paper}, {sentence.place}: {answer!r}:"
                    " give yes, partly or no"
                )
        noted = {
            (True, True): "both",
            (True, False): "first",
            (False, True): "second",
            (False, False): "neither",
        }
        used = dict.fromkeys(kinds[name] for name in sentence.claims.split())
        records.append(
            {
                **row,
                "noted": noted[bool(row["kind_1"]), bool(row["kind_2"])],
                "kind_differs": disagreed_kind(row["kind_1"], row["kind_2"]),
                "testable_differs": (
                    bool(row["testable_1"] and row["testable_2"])
                    and row["testable_1"] != row["testable_2"]
                ),
                "decided": (
                    f"tested, as {' and '.join(used)}"
                    if used
                    else f"left out: {sentence.left_out}"
                ),
            }
        )
    return pd.DataFrame(records)
