"""This package tests stateful PySpark processors unchanged: the kit controls rows, clock and state."""

from .assertion import check_processor
from .processor_under_test import LateRows, ProcessorUnderTest, TimeMode

__all__ = ["LateRows", "ProcessorUnderTest", "TimeMode", "check_processor"]
