"""The two readings of the texts beside the sentences that were made of them."""

from pathlib import Path

from messages import raised

from liftbook import claims
from liftbook.claims.readers import readers
from liftlib.errors import DataError
from liftlib.resources import resource

ROWS = readers()


def test_each_sentence_was_noted_by_a_reader():
    assert not (ROWS["noted"] == "neither").any()
    # what a reader did not note has neither kind nor answer
    for at in ("1", "2"):
        empty = ROWS[f"kind_{at}"] == ""
        assert (ROWS.loc[empty, f"testable_{at}"] == "").all()
        assert (ROWS.loc[~empty, f"testable_{at}"] != "").all()
    assert ((ROWS["place_2"] == "") == (ROWS["kind_2"] == "")).all()


def test_what_was_decided():
    for row, sentence in zip(
        ROWS.to_dict("records"), claims.read_sentences(), strict=True
    ):
        assert row["decided"].startswith(
            "tested, as " if sentence.claims else "left out: "
        )
    assert not ROWS["decided"].str.contains("not run").any()
    # a sentence that neither reader thought could be contradicted is not claimed to be
    # tested as a result
    no = ROWS[(ROWS["testable_1"] == "no") & (ROWS["testable_2"] == "no")]
    assert not no["decided"].str.fullmatch("tested, as result").any()


def test_s20_is_cautious_about_other_properties():
    (says,) = [
        one.says
        for one in claims.read_sentences()
        if "s20-fig7-other" in one.claims.split()
    ]
    assert "do not appear to have an impact" in says


def test_sentences_lead_to_the_claims_about_them():
    of = {
        one.place: one.claims.split()
        for one in claims.read_sentences()
        if one.paper == "E23"
    }
    assert "e23-sm-ldp" in of["Sec 4.1 after (14)"]
    # whose readings include the printed loop
    assert of["Algorithm 1 line 4"] == ["e23-sm-syn-eps1"]
    assert of["Algorithm 1 lines 10,12"] == []


def test_a_wrong_answer(monkeypatch, tmp_path):
    for name in ("claims.csv", "sentences.csv"):
        text = resource(f"data/{name}").read_text(encoding="utf-8")
        (tmp_path / name).write_text(
            text.replace(",yes,", ",perhaps,", name == "sentences.csv"),
            encoding="utf-8",
        )
    monkeypatch.setattr(claims, "resource", lambda name: tmp_path / Path(name).name)
    with raised(DataError):
        readers()
