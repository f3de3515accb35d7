"""Hypothesis strategies for valves."""

from hypothesis import strategies as st

from ...wire.steps.valve import ActiveStep, IdleStep, ValveSetup, WatermarkStep
from ...wire.vocabulary import Step


def setups() -> st.SearchStrategy[ValveSetup]:
    """Valves of one to four channels."""
    return st.builds(ValveSetup, st.integers(1, 4))


def steps(setup: ValveSetup) -> st.SearchStrategy[Step]:
    """Steps on existing channels, timestamps from a few that meet often, the end of input among them."""
    channels = st.integers(0, setup.channels - 1)
    timestamps = st.one_of(st.integers(-1, 6), st.sampled_from(["MIN", "MAX", 1_700_000_000_000]))
    return st.one_of(
        st.builds(WatermarkStep, channels, timestamps),
        st.builds(IdleStep, channels),
        st.builds(ActiveStep, channels),
    )
