"""Tables of eager data frames, which are released as frames of the same library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np

from liftlib.channel import Uniform
from lifttables.designs.designing import Design
from lifttables.designs.publishing import published
from lifttables.encoding.table import Rows, Table, present
from lifttables.sources.randomness import permutation


class Frame(Table):
    """A data frame in memory."""

    native: Any = None  # the user's frame; None for a file

    def __init__(self, native: Any) -> None:
        self.native, self.name = native, "the frame"
        self._frame = nw.from_native(native, eager_only=True)
        self.columns = tuple(self._frame.columns)

    def read(self, names: Sequence[str]) -> Rows:  # noqa: D102
        rows: Rows = self._frame.lazy().select(*names)
        return rows

    def release(self, design: Design, source: Uniform) -> Any:
        """Return the released rows in the same library, without index and metadata."""
        drawn = np.concatenate(
            [design.draw(rows, source) for rows in self.batches(design.public.names)]
        )
        order = permutation(len(drawn), source)
        frame = nw.from_native(self.native, eager_only=True)
        if self.needed:
            rows = self.read(list(dict.fromkeys(column.name for column in self.needed)))
            mask = self.collected(rows.select(present(self.needed).alias("present")))[
                "present"
            ]
            frame = frame.filter(mask.to_list())
        released = nw.maybe_reset_index(frame.select(frame.columns[:1])[order.tolist()])
        texts = design.released(drawn[order])
        released = released.with_columns(
            *(
                nw.new_series(
                    name,
                    texts[name].tolist(),
                    nw.String(),
                    backend=frame.implementation,
                )
                for name in texts
            )
        )
        return _without_metadata(released.select(published(self, design)).to_native())


def _without_metadata(frame: Any) -> Any:
    """Return a frame without metadata.

    A PyArrow schema may hold the names of all columns and the attributes of the pandas
    frame that it came from.
    """
    schema: Any = getattr(frame, "schema", None)
    if not hasattr(schema, "remove_metadata"):  # not PyArrow's
        return frame
    for at, field in enumerate(schema):
        schema = schema.set(at, field.remove_metadata())
    return type(frame).from_arrays(frame.columns, schema=schema.remove_metadata())
