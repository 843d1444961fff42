"""Contract tests for user-defined notions and mechanisms.

``check_notion(MyNotion(0.5))`` and ``check_mechanism(my_mechanism)`` return a
:class:`Report`, which prints as a table; ``assert check_notion(...).passed`` is a test.
"""

from liftlib.testing.channels import channel_faults
from liftlib.testing.mechanisms import check_mechanism
from liftlib.testing.notions import check_notion
from liftlib.testing.reports import Check, Report

__all__ = ["Check", "Report", "channel_faults", "check_mechanism", "check_notion"]
