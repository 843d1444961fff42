"""The runtime's files."""

import json
import zipfile
from types import SimpleNamespace

import pytest
import yaml
from asked import ROOT
from messages import raised
from sphinx.errors import ExtensionError

from companion.browser import runtime
from companion.browser.runtime import NoRuntime
from companion.sphinx import alive

SAID = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["sphinx"]["config"][
    "companion_browser"
]
PACKED = runtime.Packed(
    ROOT, tuple(SAID["files"]), tuple(SAID["without"]), tuple(SAID["beside"])
)
LOCK = {
    "info": {},
    "packages": {
        "numpy": {
            "name": "numpy",
            "version": "1",
            "file_name": "numpy.whl",
            "depends": [],
        },
        "scipy": {
            "name": "scipy",
            "version": "2",
            "file_name": "scipy.whl",
            "depends": ["numpy"],
        },
        "pandas": {
            "name": "pandas",
            "version": "3",
            "file_name": "pandas.whl",
            "depends": ["six"],
        },
        "six": {"name": "six", "version": "4", "file_name": "six.whl", "depends": []},
        "matplotlib": {
            "name": "mpl",
            "version": "5",
            "file_name": "mpl.whl",
            "depends": ["numpy", "six", "fonttools"],
        },
        "lxml": {
            "name": "lxml",
            "version": "6",
            "file_name": "lxml.whl",
            "depends": [],
        },
    },
}


@pytest.fixture
def carrier(tmp_path, monkeypatch):
    """A wheel with small files, and a folder with the same and their hashes."""
    lock = json.loads(json.dumps(LOCK))
    for package in lock["packages"].values():
        package["sha256"] = runtime.digest(package["file_name"].encode())
    contents = {name: name.encode() for name in runtime.CORE_FILES} | {
        "pyodide-lock.json": json.dumps(lock).encode()
    }
    contents |= {
        one["file_name"]: one["file_name"].encode() for one in lock["packages"].values()
    }
    path = tmp_path / "carrier.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in contents.items():
            archive.writestr(runtime.PYODIDE_FOLDER + name, data)
    release = tmp_path / "pyodide"
    release.mkdir()
    for name, data in contents.items():
        (release / name).write_bytes(data)
    monkeypatch.setattr(
        runtime,
        "CORE_FILES",
        {name: runtime.digest(contents[name]) for name in runtime.CORE_FILES},
    )
    monkeypatch.setattr(runtime, "downloaded", lambda _: path)
    monkeypatch.delenv("LIFT_PYODIDE", raising=False)
    return path


@pytest.mark.parametrize("source", ["wheel", "release"])
def test_takes_what_is_needed_and_no_more(carrier, tmp_path, monkeypatch, source):
    if source == "release":
        carrier.unlink()
        monkeypatch.setenv("LIFT_PYODIDE", str(tmp_path / "pyodide"))
    assert runtime.fetched(tmp_path / "out") == tmp_path / "out"
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        *runtime.CORE_FILES,
        "NOTICE.txt",
        "numpy.whl",
        "scipy.whl",
        "pandas.whl",
        "six.whl",
        "mpl.whl",
    }
    lock = json.loads((tmp_path / "out" / "pyodide-lock.json").read_text())
    assert set(lock["packages"]) == {"numpy", "scipy", "pandas", "six", "matplotlib"}
    assert lock["packages"]["matplotlib"]["depends"] == ["numpy", "six"]
    assert "Mozilla Public License" in (tmp_path / "out" / "NOTICE.txt").read_text()


@pytest.mark.parametrize("changed", ["pyodide.asm.wasm", "six.whl"])
def test_a_changed_file_is_refused(carrier, tmp_path, changed):
    other = tmp_path / "other.whl"
    with zipfile.ZipFile(carrier) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"other" if name.endswith(changed) else old.read(name))
    carrier.write_bytes(other.read_bytes())
    with pytest.raises(NoRuntime, match=changed):
        runtime.fetched(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_without_the_files_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("LIFT_PYODIDE", str(tmp_path))
    with raised(NoRuntime):
        runtime.fetched(tmp_path / "out")


def test_a_book_without_the_runtime_is_not_built_unless_it_may(monkeypatch):
    app = SimpleNamespace(
        builder=SimpleNamespace(name="html"),
        config={"companion_rerun": {}, "companion_browser": SAID},
        srcdir=str(ROOT),
    )

    def none(_):
        raise NoRuntime("there is no network")

    monkeypatch.setattr(runtime, "fetched", none)
    monkeypatch.setattr(alive, "BUILD_STATE", {})
    monkeypatch.delenv("LIFT_PYODIDE", raising=False)
    with raised(ExtensionError):
        alive.prepare(app)
    monkeypatch.setenv("LIFT_PYODIDE", "off")
    alive.prepare(app)
    assert not alive.BUILD_STATE


def test_without_the_wheel_it_says_why(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setattr(runtime, "CARRIER", "open-webui==0.0.0")
    with raised(NoRuntime):
        runtime.fetched(tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_the_packed_library_is_the_same_each_time_and_holds_no_builder(tmp_path):
    runtime.sources(tmp_path / "one.zip", PACKED)
    runtime.sources(tmp_path / "two.zip", PACKED)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    names = zipfile.ZipFile(tmp_path / "one.zip").namelist()
    assert len(names) == len(set(names))
    assert {
        "liftlib/__init__.py",
        "liftlib/__init__.pyi",
        "liftbook/alive/calls.py",
        "companion/browser/session.py",
        "lazy_loader/__init__.py",
    } <= {*names}
    assert {"data/adult/adult.data.gz", "data/claims.csv"} <= {*names}
    assert not [
        name for name in names if name.startswith(("narwhals/", "jinja2/", "chapters/"))
    ]
    assert {
        path.relative_to(ROOT).as_posix() for path in ROOT.glob("lifttables/pages/*")
    } <= {*names}
    assert not [
        name
        for name in names
        if name.startswith(("liftbook/build/", "companion/sphinx/", "tests/"))
        or name.endswith((".pyc", ".so"))
    ]
