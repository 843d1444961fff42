"""The transformer passes scikit-learn's own checks."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import liftlib as ll
from liftlib.errors import DataError, InvalidParameter
from lifttables.learning import LiftRelease

RNG = np.random.default_rng(0)
N = 400
SECRET = RNG.choice(["ill", "well"], N)
X = pd.DataFrame({"age": RNG.integers(20, 90, N), "sex": RNG.choice(["f", "m"], N)})


@parametrize_with_checks([LiftRelease(output=output) for output in ("ordinal", "onehot")])
@pytest.mark.filterwarnings("ignore")
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("make", [X.copy, lambda: pl.DataFrame(X.to_dict("list")), X.to_numpy])
def test_frames_of_each_library(make):
    made = LiftRelease(ll.LIP(0.2), random_state=0).fit(make(), SECRET)
    out = made.transform(make())
    assert out.shape == (N, 2)
    assert {tuple(row) for row in out} <= set(made.design_.texts)
    assert ll.LIP(0.2).is_satisfied(ll.Joint.from_counts(made.design_.table), made.design_.channel)
    named = ["age", "sex"] if not isinstance(make(), np.ndarray) else ["x0", "x1"]
    assert made.get_feature_names_out().tolist() == named


def test_what_is_released_follows_the_kernel():
    from scipy import stats

    made = LiftRelease(ll.LIP(0.01), "randomised-response", output="ordinal", random_state=1).fit(X[["sex"]], SECRET)
    drawn = made.transform(pd.concat([X[["sex"]]] * 50))[:, 0].astype(int)
    for x, row in zip("fm", made.design_.channel.kernel, strict=True):
        seen = np.bincount(drawn[np.tile(X["sex"] == x, 50)], minlength=len(row))
        assert stats.chisquare(seen, row * seen.sum()).pvalue > 1e-6
    free = LiftRelease(ll.LIP(0.01), "randomised-response", output="ordinal").fit(X[["sex"]], SECRET)
    assert not np.array_equal(free.transform(X[["sex"]]), free.transform(X[["sex"]]))


def test_in_a_pipeline_with_named_columns():
    pipeline = make_pipeline(LiftRelease(ll.LIP(0.5), output="onehot", random_state=0), LogisticRegression())
    pipeline.fit(X, SECRET)
    assert pipeline.predict(X).shape == (N,)
    out = LiftRelease(ll.LIP(0.5), output="onehot").set_output(transform="pandas").fit(X, SECRET).transform(X)
    assert (out.sum(axis=1) == 1).all()
    assert all(name.startswith("age_sex_") for name in out.columns)


def test_what_fit_has_not_seen():
    made = LiftRelease(ll.LIP(5.0), random_state=0).fit(X[["sex"]], SECRET)
    assert made.transform(pd.DataFrame({"sex": ["d"]})).shape == (1, 1)
    made.set_params(handle_unknown="error")
    with pytest.raises(DataError, match="such as 'd'"):
        made.transform(pd.DataFrame({"sex": ["d"]}))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"mechanism": "conditional-reporting"}, "sees the secret, which `transform` is not given"),
        ({"mechanism": "magic"}, "no mechanism 'magic'"),
        ({"output": "csv"}, "output is 'csv'"),
        ({"handle_unknown": "guess"}, "handle_unknown 'guess'"),
    ],
)
def test_wrong_parameters(words, message):
    with pytest.raises(InvalidParameter, match=message):
        LiftRelease(**words).fit(X, SECRET)
