"""What explains a counterexample, and which mistakes the checks of a processor would find."""

import pytest
from processor_cases import CASES

from tidegauge_adapters.processors.explaining.explanation import explanation
from tidegauge_adapters.processors.explaining.mistakes import mistakes_found
from tidegauge_adapters.processors.playing.player import Player
from tidegauge_adapters.processors.searching.search import searched


@pytest.mark.parametrize(
    ("name", "bug", "check", "words"),
    [
        ("tumbling", "late_lt", "timers", "`<` stands for `<=` in the late test"),
        ("tumbling", "timer_plus1", "due", "they are set 1 ms after the border"),
        ("tumbling", "not_cleared", "end", "nothing clears it"),
        pytest.param(
            "tumbling",
            "late_row",
            "batch",
            "it compares the time of the row, not the end of its window",
            marks=pytest.mark.slower,
        ),
        ("tumbling", "late_counted", "batch", "what it does with rows at or before the watermark"),
        pytest.param(
            "sorter", "buffer_attr", "state", "something is not in its state", marks=pytest.mark.slower
        ),
        pytest.param(
            "ttl-session",
            "ttl_short",
            "batch",
            "state is forgotten before its timer",
            marks=pytest.mark.slower,
        ),
        pytest.param(
            "sessions",
            "touch_lt",
            "batch",
            "the processor leaves it out: `<` stands for `<=`",
            marks=pytest.mark.slower,
        ),
        pytest.param(
            "sorter", "same_time_lost", "batch", "two rows of the key have et=", marks=pytest.mark.slower
        ),
        ("sorter", "same_time_lost", "batch", ", and one of them is lost."),
        pytest.param(
            "top-n",
            "ties_lost",
            "batch",
            "if no two rows of a key had the same price",
            marks=pytest.mark.slower,
        ),
        pytest.param("sorter", "unsorted", "batch", "", marks=pytest.mark.slower),
        # Without timers that fire there is no result at all, which is not a cure.
        pytest.param("pandas-count", "replaced", "cuts", "", marks=pytest.mark.slower),
    ],
)
def test_an_explanation_speaks_of_timers_and_state(name: str, bug: str, check: str, words: str) -> None:
    player = Player(CASES[name].subject(bug))
    (counterexample,) = searched(player, traces=60, only=[check]).broken
    text = explanation(player, counterexample)
    assert words in text if words else text == ""


def test_the_checks_of_a_processor_are_measured_by_mistakes_made_in_it() -> None:
    found = {
        mistake.words: mistake.found_by for mistake in mistakes_found(Player(CASES["tumbling"].subject()))
    }
    assert found["a timer at the end + 1 ms"] == "due"
    assert found["an attribute instead of state"] == "state"
    assert found["state that is never cleared"]
    assert "a time to live that is too short" not in found, "it has none"
    assert all(found.values())


@pytest.mark.slower
def test_a_mistake_that_no_declared_check_finds_is_told() -> None:
    """Without the column of the time at which a result is due, nothing says when it has to come."""
    described = {**CASES["tumbling"].described, "due": ""}
    case = type(CASES["tumbling"])(CASES["tumbling"].make, described)
    found = {mistake.words: mistake.found_by for mistake in mistakes_found(Player(case.subject()))}
    assert found["a timer at the end + 1 ms"] == ""
