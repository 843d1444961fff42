"""One row of a figure."""


def point(rows, series=None, eps=None, measure=None, **keys):
    """Return the one row that has these values."""
    for key, value in {"series": series, "eps": eps, "measure": measure, **keys}.items():
        rows = rows if value is None else rows[rows[key] == value]
    assert len(rows) == 1
    return rows.iloc[0]
