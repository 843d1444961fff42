"""The table that ``compare`` returns."""

import pandas as pd


class Comparison(pd.DataFrame):
    """A data frame that prints within 80 columns: four digits, and names cut after 24 characters."""

    def __repr__(self) -> str:
        return self.to_string(float_format="{:.4g}".format, max_colwidth=24)
