"""This package tests windowing processors unchanged. The user describes the windows and the output rows."""

from ..processor_under_test import ProcessorUnderTest
from .assigners import Session, Sliding, Tumbling
from .window_results import WindowResults
from .windows_under_test import WindowsUnderTest

__all__ = ["ProcessorUnderTest", "Session", "Sliding", "Tumbling", "WindowResults", "WindowsUnderTest"]
