"""The chart of questions: all are on it, and an answer beside each."""

import matplotlib.pyplot as plt
import pandas as pd

from liftbook import plots


def test_a_question_an_answer_an_arrow():
    lines = pd.DataFrame({"question": ["A?", "B?"], "use": ["a", "b"], "note": ["first", ""]})
    ax = plots.decisions(lines)
    texts = [text.get_text() for text in ax.texts]
    assert [texts.count(one) for one in ("A?", "B?", "a\nfirst", "b", "yes", "no")] == [1, 1, 1, 1, 1, 1]
    # two arrows to answers, one down
    assert sum(text.arrow_patch is not None for text in ax.texts if hasattr(text, "arrow_patch")) == 3
    plt.close(ax.figure)
