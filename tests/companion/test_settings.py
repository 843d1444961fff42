"""What a book says of itself: its folder, its pages, the modules it names."""

from types import SimpleNamespace

import pytest
from messages import raised

from companion.errors import CompanionError
from companion.sphinx.alive import browser
from companion.sphinx.notebooks import FROM_REPOSITORY, FROM_WHEEL, Package, package_of


def app(**said):
    return SimpleNamespace(config={"companion_browser": said})


@pytest.mark.parametrize("said", [{}, {"module": "a", "library": "b", "file": []}])
def test_a_configuration_that_cannot_be_read(said):
    with raised(CompanionError):
        browser(app(**said))


def test_what_notebooks_install():
    package = package_of(
        {"companion_package": {"name": "coinlib", "module": "coins", "extra": "book"}}
    )
    assert "-q 'coinlib[book] @ git+https://a.b/c'" in package.install(
        FROM_REPOSITORY, "https://a.b/c"
    )
    code = Package("coinlib", "coins").install(FROM_WHEEL, "coinlib-1.whl")
    compile(code, "cell", "exec")
    assert 'find_spec("coins")' in code
    assert "-q './coinlib-1.whl'" in code
    assert package_of({"companion_package": {}}) is None
