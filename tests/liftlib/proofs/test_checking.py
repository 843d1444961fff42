"""The checker accepts what the engine proved and refuses whatever was changed."""

from dataclasses import replace

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import InvalidProof
from liftlib.proofs import upper_bound
from mixproof.proof import Proof

JOINT = ll.datasets.uniform_joint(4, 10, np.random.default_rng(3))
NOTION = ll.ALIP(0.3, 0.2)


@pytest.fixture(scope="module")
def channel():
    return ll.mechanisms.optimal(JOINT, NOTION, method="tree")  # the same boxes, without a compiler


def with_proof(channel, proof, **changed):
    certificate = replace(channel.certificate, proof=proof, **changed)
    return ll.Channel(channel.kernel, certificate=certificate)


def test_accepts_its_own(channel):
    found = ll.check_proof(JOINT, NOTION, channel)
    assert found.upper <= channel.certificate.upper
    assert found.value == pytest.approx(channel.certificate.value, abs=1e-12)
    assert found.gap <= 1e-6 * found.value
    assert found.boxes == channel.certificate.proof.boxes > 1
    assert found.leakage <= 1e-9


def test_bounds_the_optimum_by_enumeration(channel):
    best = ll.mechanisms.optimal(JOINT, NOTION, method="qhull").certificate.value
    assert best - 1e-9 <= upper_bound(JOINT, NOTION, channel.certificate.proof) <= best * (1 + 2e-6)


@pytest.mark.parametrize(("eps", "gap"), [(50.0, 1e-6), (3.0, 1.0)])
def test_a_proof_that_says_less_than_the_entropy_gives_the_entropy(eps, gap):
    loose = ll.ALIP(eps, eps)
    found = ll.check_proof(JOINT, loose, ll.mechanisms.optimal(JOINT, loose, gap=gap, method="tree"))
    assert 0 <= found.upper - ll.measures.entropy(JOINT.p_x) < 1e-10
    assert found.gap == max(0.0, found.upper - found.value)


NUMBERS = ["dual", "caps", "cap_weights", "level", "weights", "order", "sides", "parent", "child", "kind", "symbol"]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_forged_digest_does_not_make_a_false_bound_true(channel, name):
    best = ll.mechanisms.optimal(JOINT, NOTION, method="qhull").certificate.value
    proof = channel.certificate.proof
    value = getattr(proof, name)
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(30):
        other = value.copy()
        at = rng.integers(value.size)
        change = rng.integers(-3, 4) if other.dtype.kind == "i" else rng.normal() * 10.0 ** rng.integers(-6, 2)
        other.flat[at] += change
        if (other == value).all():
            continue
        forged = replace(proof, digest="", **{name: other})
        try:
            bound = upper_bound(JOINT, NOTION, forged)
        except (InvalidProof, IndexError):
            refused += 1
            continue
        assert bound >= best - 1e-9
        if bound > proof.upper:
            with pytest.raises(InvalidProof, match="the proven bound is"):
                ll.check_proof(JOINT, NOTION, with_proof(channel, forged))
            refused += 1
    assert refused


def test_a_proof_for_another_joint_or_notion_is_refused(channel):
    other = ll.datasets.uniform_joint(4, 10, np.random.default_rng(4))
    with pytest.raises(InvalidProof):
        ll.check_proof(other, NOTION, channel)
    with pytest.raises(InvalidProof):  # a tighter budget is not what it was proven for, and the channel breaks it
        ll.check_proof(JOINT, ll.ALIP(0.2, 0.1), channel)
    wider = ll.ALIP(0.6, 0.5)  # allows more
    with pytest.raises(InvalidProof):
        ll.check_proof(JOINT, wider, channel)


def test_is_kept_in_a_text(channel, tmp_path):
    proof = channel.certificate.proof
    path = tmp_path / "proof.json"
    proof.save(path)
    read = Proof.load(path)
    assert read.digest == proof.digest == read.fingerprint()
    assert ll.check_proof(JOINT, NOTION, channel, read).upper == ll.check_proof(JOINT, NOTION, channel).upper
    path.write_text(path.read_text().replace('"upper": ', '"upper": 1'))
    with pytest.raises(InvalidProof, match="digest"):
        ll.check_proof(JOINT, NOTION, channel, Proof.load(path))


def test_imports_no_solver():
    """What checks a proof shares no code with what found it."""
    import subprocess
    import sys

    code = (
        "import sys, liftlib.proofs; "
        "print([name for name in sys.modules if name.startswith(('liftlib.solvers', 'liftlib.mechanisms', 'highspy', "
        "'scipy', 'numba'))])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]", found.stdout
