"""What is drawn in a test is closed behind it: figures left open are shown by whoever shows the open ones next."""

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")
