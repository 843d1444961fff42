"""Chapters are executed side by side, each in a process of its own, and kept in one folder."""

from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.cache.db import NbCacheRecord

from companion.executing import execute_one

SMALL = Path(__file__).parents[1] / "fixtures" / "small.md"


def test_ports_that_are_taken_do_not_matter(taken, tmp_path):
    cache = get_cache(tmp_path)
    cache.add_nb_to_project(str(SMALL), read_data={"name": "myst_nb_md", "type": "plugin"})
    assert execute_one(tmp_path, str(SMALL)).succeeded == [str(SMALL)]


def test_what_another_process_is_about_to_keep_is_left_alone(tmp_path):
    """It stands in the list before its file is there: that came between two looks at the list in one build of many."""
    cache = get_cache(tmp_path)
    cache.change_cache_limit(1)
    NbCacheRecord.create_record(uri="other.md", hashkey="0" * 32, db=cache.db, data={})
    cache.add_nb_to_project(str(SMALL), read_data={"name": "myst_nb_md", "type": "plugin"})
    done = execute_one(tmp_path, str(SMALL))
    assert (done.succeeded, done.excepted, done.errored) == ([str(SMALL)], [], [])
    assert {record.uri for record in cache.list_cache_records()} == {"other.md", str(SMALL)}
