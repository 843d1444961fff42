"""What a book says of itself: its folder, its pages, the modules it names; and errors where it says it wrongly."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from companion.errors import CompanionError
from companion.executing import _turn
from companion.parameters import reader
from companion.project import project_root, toc_files, toc_names
from companion.sphinx.alive import browser
from companion.sphinx.notebooks import FROM_REPOSITORY, FROM_WHEEL, Package, package_of


def test_a_project_is_where_its_pyproject_is(tmp_path):
    book = tmp_path / "project" / "_build" / "preview"
    book.mkdir(parents=True)
    (tmp_path / "project" / "pyproject.toml").touch()
    assert project_root(book) == tmp_path / "project"
    assert project_root(tmp_path / "project") == tmp_path / "project"


def test_without_one_it_is_the_folder_itself(tmp_path):
    assert project_root(tmp_path) == tmp_path


def test_pages_in_order(tmp_path):
    (tmp_path / "_toc.yml").write_text(
        "format: jb-book\nroot: intro\nparts:\n  - chapters:\n    - file: chapters/coins\n"
    )
    assert toc_names(tmp_path) == ["intro", "chapters/coins"]
    assert toc_files(tmp_path)[1] == tmp_path / "chapters" / "coins.md"


def test_the_longest_chapters_begin_first():
    paths = ["/a/dice.md", "/a/coins.md", "/a/cards.md"]
    assert sorted(paths, key=lambda path: _turn(["cards", "coins"], path)) == paths[::-1]


def test_a_book_without_a_reader_of_parameters():
    with pytest.raises(CompanionError, match="companion_parameters is not set: name the module"):
        reader("")


def test_a_module_that_reads_no_parameters(monkeypatch):
    monkeypatch.setitem(sys.modules, "no_reader", ModuleType("no_reader"))
    with pytest.raises(CompanionError, match="'no_reader', a module without the function read_parameters"):
        reader("no_reader")


def app(**said):
    return SimpleNamespace(config={"companion_browser": said})


def test_what_the_browser_gets():
    found = browser(app(module="toy_browser", library="coins", files=["a.py"]))
    assert (found.module, found.files, found.tools, found.command) == ("toy_browser", ("a.py",), {}, "")


@pytest.mark.parametrize(("said", "told"), [({}, "module"), ({"module": "a", "library": "b", "file": []}, "file")])
def test_a_configuration_that_cannot_be_read(said, told):
    with pytest.raises(CompanionError, match=f"^companion_browser: .*{told}"):
        browser(app(**said))


def test_what_notebooks_install():
    package = package_of({"companion_package": {"name": "coinlib", "module": "coins", "extra": "book"}})
    assert "-q 'coinlib[book] @ git+https://a.b/c'" in package.install(FROM_REPOSITORY, "https://a.b/c")
    code = Package("coinlib", "coins").install(FROM_WHEEL, "coinlib-1.whl")
    compile(code, "cell", "exec")
    assert 'find_spec("coins")' in code
    assert "-q './coinlib-1.whl'" in code
    assert package_of({"companion_package": {}}) is None
