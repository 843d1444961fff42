"""Any argument to a public name gives a value or a LiftError naming the fault."""

import inspect
import math
import re
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import liftlib as ll
from liftbook.relatives import AverageLeakage, MaximalLeakage
from liftlib.errors import shown
from lifttables.population.sample import Sample

TABLE = ll.Joint.from_counts([[3, 2, 1, 2], [1, 4, 2, 1]])
NUMBERS = [
    0,
    1,
    2,
    -1,
    0.5,
    1.5,
    -0.5,
    50.0,
    1e-300,
    math.nan,
    math.inf,
    -math.inf,
    True,
    np.float64(0.3),
    np.int64(2),
]
NUMBERS += [10**400, -(10**5000), Fraction(10**400), 2**62]
OTHERS = [
    None,
    "x",
    "",
    b"x",
    object(),
    (),
    [],
    {},
    {"a": 1},
    {1, 2},
    1j,
    np.nan,
    ["a", "b"],
    range(3),
    len,
    ll.ALIP,
]
ARRAYS = [
    [[0.5, 0.5]],
    [[0.25, 0.25], [0.5, 0.0]],
    [[1.0, 0.0], [0.0, 1.0]],
    [0.5, 0.5],
    [[0.5], [0.5, 0.1]],
    [[math.nan, 1.0]],
    [[-0.5, 1.5]],
    [["a", "b"]],
    [[], []],
    [[10**400]],
    np.eye(3),
    np.zeros((2, 2, 2)),
    np.ones((2, 3, 4)) / 4,
    np.full((2, 2), 1e300),
    np.array([[True, False]]),
    np.array(["2020-01-01"], dtype="datetime64[D]"),
    (0, 1),
    [(0, 1), (2, 3)],
]
OURS = [
    TABLE, ll.Joint([[1.0]]), ll.Joint([[0.5, 0.0], [0.25, 0.25]]),
    ll.Channel.identity(4), ll.Channel.constant(2), ll.Channel(np.full((2, 4, 2), 0.5)),
    ll.ALIP(1.0, 0.5), ll.LIP(0.0), ll.LDP(math.inf), ll.AlphaLift(2, 1.0, 0.5),
    ll.Chi2Lift(math.inf, 0.3), ll.SRLIP(1.0, (2, 2)), ll.SRLIP(1.0, (3,)),
    ll.mechanisms.randomised_response, np.random.default_rng(0),
]  # fmt: skip
RIGHT = {
    "joint": [TABLE, ll.Joint([[0.5, 0.0], [0.25, 0.25]])],
    "notion": [ll.LIP(0.5), ll.SRLIP(1.0, (2, 2)), ll.Chi2Lift(1.0, 0.5)],
    "channel": [ll.Channel.identity(4)],
    "family": [ll.mechanisms.linear_reduction],
    "p": [TABLE.p],
    "kernel": [np.eye(4)],
    "rng": [0],
    "n_secret": [2],
    "n_public": [3],
    "secret": ["sex", None],
    "public": ["race", None],
}
ANY = st.sampled_from([*NUMBERS, *OTHERS, *ARRAYS, *OURS])


PROOF = ll.mechanisms.optimal(TABLE, ll.LIP(0.1)).certificate.proof
INSTANCES = (
    TABLE,
    ll.Channel.identity(4),
    *(
        ll.ALIP(1.0, 0.5),
        ll.LDP(1.0),
        ll.L1Lift(1.0, 0.5),
        ll.Chi2Lift(1.0, 0.5),
        ll.AlphaLift(2, 1.0, 0.5),
    ),
    *(ll.SRLIP(1, (2, 2)), ll.LIP(0.5), AverageLeakage(0.5), MaximalLeakage(0.5)),
    *(
        Sample([[3, 2, 1, 2], [1, 4, 2, 1]]),
        ll.mechanisms.randomised_response,
        ll.mechanisms.linear_reduction,
    ),
    *(ll.evaluate(TABLE, ll.Channel.identity(4)), PROOF),
)
UNCHECKED = {
    **dict.fromkeys(
        ("required_budgets", "risk", "kept_columns", "violation_of"),
        "lifts, by the thousand",
    ),
    **dict.fromkeys(
        ("relaxed", "tangents", "tangent_directions"), "a solver's own rows and priors"
    ),
    **dict.fromkeys(
        ("lacks", "refusal"), "interfaces, which are classes of the library"
    ),
    **dict.fromkeys(
        ("sums", "parts", "violation_of_sums", "certifies"),
        "of parts, which designs make themselves",
    ),
    **dict.fromkeys(
        ("scaled", "merged", "choosing"),
        "a sample's, by designs, with what they computed",
    ),
    **dict.fromkeys(
        ("misses", "nearness", "kept", "price", "differences"),
        "subsets, by the thousand",
    ),
    "save": "writes a file",
}
"""Methods that mechanisms call with what they computed, or that are not for trying; and
why.
"""


def is_public(value):
    if inspect.isclass(value):
        return not issubclass(
            value, Exception | ll.Certificate
        ) and not inspect.isabstract(value)
    return callable(value)


def callables():
    for name in ll.__all__:
        value = getattr(ll, name)
        if inspect.ismodule(value):
            for inner, function in vars(value).items():
                if (
                    inspect.isfunction(function)
                    and function.__module__ == value.__name__
                    and inner[0] != "_"
                ):
                    yield f"{name}.{inner}", function
        elif is_public(value):
            yield name, value
    for one in INSTANCES:
        for method, _ in inspect.getmembers(
            type(one), lambda it: inspect.isfunction(it) or inspect.ismethod(it)
        ):
            if method[0] != "_" and method not in UNCHECKED:
                named = one.name if isinstance(one, ll.Family) else type(one).__name__
                yield f"{named}.{method}", getattr(one, method)


CALLABLES = dict(callables())


@st.composite
def arguments(draw, function):
    """Each parameter right or wild, the optional ones sometimes left out."""
    args, kwargs = [], {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        optional = parameter.default is not parameter.empty
        if optional and draw(st.booleans()):
            if parameter.kind is not parameter.KEYWORD_ONLY:
                break
            continue
        likely = st.sampled_from(RIGHT[name]) if name in RIGHT else st.nothing()
        value = draw(st.one_of(likely, ANY))
        if parameter.kind is parameter.KEYWORD_ONLY:
            kwargs[name] = value
        else:
            args.append(value)
    return args, kwargs


THINGS = {"p": "P_SX", "frame": "the table"}
"""What messages call a parameter otherwise."""


def names(said, function, given):
    """Whether a message names a parameter, shows its value, or names the method."""
    args, kwargs = given
    values = [*args, *kwargs.values()]
    about = [*inspect.signature(function).parameters]
    about += [THINGS[name] for name in about if name in THINGS]
    about += [
        shown(value).removesuffix(f"... of type {type(value).__name__}")
        for value in values
    ]
    about += [str(value) for value in values if isinstance(value, ll.Notion)]
    if inspect.ismethod(function):
        # a family's own parameter has a name of its own
        about += [
            str(function.__self__),
            getattr(function.__self__, "parameter", "parameter"),
        ]
    return any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", said) for one in about)


def answers(name, data):
    args, kwargs = data.draw(arguments(CALLABLES[name]))
    try:
        with warnings.catch_warnings():
            # of pandas, that a way to make a frame will go
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            CALLABLES[name](*args, **kwargs)
    except ll.LiftError as error:
        said = str(error)
        assert names(said, CALLABLES[name], (args, kwargs)), said


@pytest.mark.parametrize("name", CALLABLES)
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_value_or_a_lift_error(name, data):
    answers(name, data)


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLABLES)
@settings(max_examples=500, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_value_or_a_lift_error_of_many(name, data):
    answers(name, data)
