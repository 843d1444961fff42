"""Each fault that a newcomer makes is found, and named; what is right passes."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import InvalidParameter
from liftlib.notions import PolyhedralLift, RatioBased, RequiredBudget
from liftlib.registry import mechanisms
from liftlib.testing import channel_faults, check_mechanism, check_notion

RIGHT = [
    ll.ALIP(0.7, 0.4),
    ll.ALIP(np.inf, 0.4),
    ll.LIP(0.5),
    ll.LDP(0.8),
    ll.L1Lift(0.5, 0.3),
    ll.L1Lift(np.inf, 0.2),
    ll.Chi2Lift(np.inf, 0.3),
    ll.Chi2Lift(0.5, 0.3),
    ll.AlphaLift(2, 0.5, 0.3),
    ll.AlphaLift(2, 0, 0.3),
    ll.PerfectPrivacy(),
    ll.SRLIP(0.5, (2, 2)),
]
QUICK = [
    "watchdog",
    "subset-merging",
    "optimal",
    "randomised-response",
    "linear-reduction",
    "secret-aware-reduction",
]


@pytest.fixture(autouse=True)
def few_mechanisms(monkeypatch):
    """The contract test runs all of them under all notions."""
    monkeypatch.setattr(
        "liftlib.testing.notions.mechanisms", {name: mechanisms[name] for name in QUICK}
    )


@pytest.mark.parametrize("notion", RIGHT, ids=str)
def test_the_librarys_notions_pass(notion):
    report = check_notion(notion)
    assert report.passed, str(report)
    assert any(
        check.status == "passed" and check.name.startswith("mechanism")
        for check in report.checks
    )


@dataclass(frozen=True)
class FaultyMaxLift(PolyhedralLift):
    """The largest lift is at most e^eps; a fault is put in by name."""

    eps: float
    fault: str = ""

    def required_budgets(self, lift, _):
        axis = -1 if self.fault == "axis" else -2
        sign = -1 if self.fault == "sign" else 1
        name = "epsilon" if self.fault == "name" else "eps"
        needed = RequiredBudget(
            name, sign * np.log(lift.max(axis=axis)), self.eps, ("most",)
        )
        return needed if self.fault == "comma" else (needed,)

    def halfspaces(self, joint):
        sign = -1 if self.fault == "sign of halfspaces" else 1
        eps = (
            self.eps
            + np.log(2) * (self.fault == "too loose")
            - 0.2 * (self.fault == "too tight")
        )
        return sign * (1 - np.exp(-eps) * joint.s_given_x / joint.p_s[:, None])

    def belief(self, prior):
        return (
            (0.0, 1.05 * prior)
            if self.fault == "belief"
            else (0.0, min(1.0, np.exp(self.eps) * prior))
        )

    def lift_bounds(self, p_s):
        bounds = super().lift_bounds(p_s)
        if self.fault == "bounds":
            return bounds._replace(upper=np.full(len(p_s), self.eps / 2))
        return bounds._replace(exact=True) if self.fault == "exact" else bounds


@dataclass(frozen=True)
class WrongRatios(FaultyMaxLift, RatioBased):
    def ratios(self, n_secret):
        return ll.LIP(self.eps).ratios(n_secret)


FAULTS = {
    "sign": "is a sign flipped?",
    "axis": "reduce over the secrets, axis -2",
    "comma": "is a comma missing",
    "name": "",
    "sign of halfspaces": "the halfspaces exclude P_X",
    "too loose": "halfspaces accept a posterior that exceeds",
    "too tight": "halfspaces refuse a posterior",
    "belief": "leads to a belief between",
    "bounds": "a lift beyond the bounds",
    "exact": "declared exact",
    "ratios": "ratios refuse a posterior",
}


def test_a_notion_of_ones_own_passes():
    report = check_notion(FaultyMaxLift(0.3))
    assert report.passed, str(report)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_notion_is_found(fault):
    report = check_notion(
        (WrongRatios if fault == "ratios" else FaultyMaxLift)(0.3, fault)
    )
    assert not report.passed
    assert any(FAULTS[fault] in check.detail for check in report.failures), str(report)
    assert "FAILED" in str(report)


def right(joint, notion):
    return ll.mechanisms.watchdog(joint, notion)


def mixed(joint, notion, *, sign=1):
    """Mix in the least constant release that keeps the notion (or just breaks it)."""
    for share in np.linspace(0, 1, 101)[::sign]:
        made = ll.Channel((1 - share) * np.eye(joint.n_public) + share * joint.p_x)
        if notion.is_satisfied(joint, made) == (sign == 1):
            return made
    return ll.Channel.constant(joint.n_public)


def sign(joint, notion):
    return mixed(joint, notion, sign=-1)


def axis(joint, notion):
    """Normalises over the symbols, not over the outputs."""
    kernel = joint.p.T @ joint.p + np.arange(1.0, 1 + joint.n_public)
    return ll.Channel(kernel / kernel.sum(axis=0))


def transposed(joint, notion):
    return ll.Channel(right(joint, notion).kernel.T)


def comma(joint, notion):
    return (right(joint, notion),)


def forgetful(joint, notion, _rng=np.random.default_rng()):  # noqa: B008
    return ll.Channel(np.tile(_rng.dirichlet(np.ones(3)), (joint.n_public, 1)))


def labelled_here(joint, notion):
    """Has labels of its own, where the joint distribution has others."""
    made = right(joint, notion)
    return ll.Channel(made.kernel, inputs=[f"x{x}" for x in range(joint.n_public)])


def shuffled(joint, notion, _rng=np.random.default_rng()):  # noqa: B008
    kernel = right(joint, notion).kernel
    return ll.Channel(kernel[:, _rng.permutation(kernel.shape[1])])


@pytest.mark.parametrize(
    ("mechanism", "failed"),
    [(labelled_here, "under LIP, loose"), (shuffled, "repeats itself")],
)
def test_the_property_that_fails_is_named(mechanism, failed):
    report = check_mechanism(mechanism)
    assert failed in [check.name for check in report.failures], str(report)


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (sign, "is exceeded by"),
        (axis, "sums to"),
        (transposed, ""),
        (comma, "is there a comma after it?"),
        (forgetful, "return different channels"),
    ],
)
def test_a_faulty_mechanism_is_found(mechanism, message):
    report = check_mechanism(mechanism)
    assert any(message in check.detail for check in report.failures), str(report)


def test_a_mechanism_of_ones_own_passes_and_says_what_it_does_not_serve():
    report = check_mechanism(right)
    assert report.passed, str(report)
    assert report.subject == "right"
    assert [
        check.status for check in report.checks if check.name == "under attributes"
    ] == ["no"]


@pytest.mark.parametrize("name", QUICK)
def test_the_librarys_mechanisms_pass(name):
    report = check_mechanism(name)
    assert report.passed, str(report)


def test_mixing_with_the_right_sign_passes():
    report = check_mechanism(mixed)
    assert report.passed, str(report)


def test_by_module_and_function(tmp_path, monkeypatch):
    (tmp_path / "mine_checked.py").write_text(
        "import liftlib as ll\ndef f(joint, notion, *, extra=1):\n    return"
        " ll.Channel.constant(joint.n_public)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert check_mechanism("mine_checked:f").passed
    assert mechanisms["mine_checked:f"].options == ("extra",)
    for name in (
        "mine_checked:g",
        "no_such_module:f",
        "mine_checked:ll",
        ":f",
        "mine_checked:",
    ):
        with pytest.raises(InvalidParameter):
            mechanisms[name]


def test_an_entry_that_says_too_much_or_too_little():
    joint = ll.Joint.from_counts([[3, 2, 1], [1, 4, 2]])
    assert channel_faults(joint, ll.Channel.identity(2)) == [
        "the kernel has shape (2, 2), and (3, 'Y') is expected"
    ]
    assert len(channel_faults(joint, None)) == 1
    assert channel_faults(joint, ll.Channel.identity(3)) == []


def test_a_bound_below_the_value_is_a_fault():
    joint = ll.Joint([[0.3, 0.2], [0.1, 0.4]])
    value = ll.measures.mutual_information(joint.p_x[:, None] * np.eye(2))
    for below, faults in ((1e-3, 1), (1e-12, 1), (0.0, 0), (-np.inf, 0)):
        certificate = ll.channel.Certificate("by hand", value, value - below)
        channel = ll.Channel.identity(2).with_certificate(certificate)
        assert len(channel_faults(joint, channel)) == faults


def test_a_certificate_that_is_no_number_is_a_fault():
    joint = ll.Joint([[0.3, 0.2], [0.1, 0.4]])
    channel = ll.design(joint, ll.LIP(0.5), "AORR")
    unknown = replace(channel.certificate, value=np.nan, upper=np.nan)
    assert channel_faults(joint, channel) == []
    assert len(channel_faults(joint, channel.with_certificate(unknown))) == 2
