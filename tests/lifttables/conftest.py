"""What the tests of tables share."""

import numpy as np
import pytest


@pytest.fixture
def in_order(monkeypatch):
    """Releases without the shuffle, so that each row can be found again."""
    monkeypatch.setattr(
        "lifttables.sources.frames.permutation", lambda n, _: np.arange(n)
    )
    monkeypatch.setattr(
        "lifttables.releases.releasing.permutation", lambda n, _: np.arange(n)
    )
