"""Stand-ins in the browser: HiGHS of SciPy gives what highspy gives."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import liftlib as ll
from companion.browser.standins import NotHere, absent, notebook_modules
from liftbook.alive.calls import highs_of_scipy
from mixproof import lp as programmes

ROOT = Path(__file__).resolve().parents[3]

# no module of the list is there, nor highspy: what a browser sees
BLOCKED = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {wanted}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Block())
import importlib.util
real = importlib.util.find_spec
def find_spec(name, package=None):
    if name.partition(".")[0] in {wanted} and name not in sys.modules:
        return None
    return real(name, package)
importlib.util.find_spec = find_spec
from liftbook.alive.calls import fill_in
fill_in()
"""
WANTED = {"highspy", "polars", "cdd", "IPython", "myst_nb", "papermill", "yaml", "jupytext"}


def alone(code):
    """Run code where the modules of a notebook and of tables are not there."""
    script = BLOCKED.format(wanted=sorted(WANTED)) + code
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_library_and_the_book_can_be_imported_without_them():
    ours = "liftlib, liftbook.figures, liftbook.plots, lifttables, lifttables.cli, liftbook.alive.calls"
    code = f"import {ours}, liftbook.alive.table"
    assert alone(f"{code}\nprint(sys.modules['highspy'].Highs)") == "<class 'scipy.optimize._highspy._core._Highs'>"


SOLVED = """
import numpy as np, liftlib as ll
rng = np.random.default_rng(3)
joint = ll.Joint.from_counts(rng.random((4, 8)))
for notion in (ll.LIP(0.5), ll.ALIP(0.4, 0.9), ll.LDP(1.0)):
    channel = ll.mechanisms.optimal(joint, notion)
    print(repr(ll.evaluate(joint, channel).mutual_information))
small = ll.Joint.from_counts(rng.random((10, 20)))
print(repr(ll.evaluate(small, ll.mechanisms.optimal(small, ll.LIP(1.0), gap=0.01)).mutual_information))
"""


@pytest.mark.slow
def test_the_optimum_is_the_same_without_highspy():
    """The whole, in a process without them, against this one."""
    found = [float(line) for line in alone(SOLVED).splitlines()]
    rng = np.random.default_rng(3)
    joint = ll.Joint.from_counts(rng.random((4, 8)))
    notions = (ll.LIP(0.5), ll.ALIP(0.4, 0.9), ll.LDP(1.0))
    exact = [ll.evaluate(joint, ll.mechanisms.optimal(joint, notion)).mutual_information for notion in notions]
    np.testing.assert_allclose(found[:3], exact, rtol=1e-8)
    small = ll.Joint.from_counts(rng.random((10, 20)))
    bounded = ll.mechanisms.optimal(small, ll.LIP(1.0), gap=0.01)
    assert abs(found[3] / ll.evaluate(small, bounded).mutual_information - 1) <= 0.011


def test_programmes_by_scipys_highs(monkeypatch):
    rng = np.random.default_rng(0)
    columns = rng.dirichlet(np.ones(6), 400)
    cost, target = rng.random(400), columns[:50].mean(axis=0)
    expected = programmes.mix_columns(cost, columns, target)
    monkeypatch.setattr(programmes, "highspy", highs_of_scipy())
    mine = programmes.mix_columns(cost, columns, target)
    assert abs(mine.objective - expected.objective) < 1e-9
    assert mine.gap < 1e-9
    with pytest.raises(ll.errors.InfeasiblePrivacy, match="no mixture"):
        programmes.solve(np.ones(2), np.eye(2), np.array([-1.0, 1.0]))


@pytest.mark.parametrize(("name", "called"), [("polars", "Polars"), ("polars.io", "Polars")])
def test_absent_modules(name, called):
    module = absent(name, called, NotHere)
    assert module.DataFrame is not None
    with pytest.raises(NotHere, match=f"this needs {called}, which a browser does not have"):
        module.DataFrame({"a": [1]})
    with pytest.raises(NotHere, match=called):
        module.DataFrame.from_dict({})
    assert issubclass(module.PolarsError, Exception)
    with pytest.raises(AttributeError):
        _ = module.__wrapped__


def test_notebook_modules():
    shown, glued = [], []
    modules = notebook_modules(lambda *values, **_: shown.extend(values), lambda *arguments: glued.append(arguments))
    modules["IPython.display"].display(modules["IPython.display"].HTML("<b>a</b>"))
    assert shown[0]._repr_mimebundle_() == {"text/html": "<b>a</b>"}
    modules["myst_nb"].glue("n", 1)
    assert glued == [("n", 1)]
    assert modules["IPython"].get_ipython() is None
