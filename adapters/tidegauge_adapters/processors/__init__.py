"""Stateful PySpark processors under test as they are: the kit owns the rows, the clock and the state."""

from .assertion import check_processor
from .processor_under_test import LateRows, ProcessorUnderTest, TimeMode

__all__ = ["LateRows", "ProcessorUnderTest", "TimeMode", "check_processor"]
