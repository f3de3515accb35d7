"""What no scenario can show of the reference's windows: setups that the wire form does not have."""

from __future__ import annotations

from typing import Any

import pytest

from tidegauge_reference import FLINK_2_3, MAX, MIN, IllegalArgument, Unsupported
from tidegauge_reference.windows import Session, Sliding, Windows


@pytest.mark.parametrize(("size", "slide", "argument"), [(0, 1, "size"), (1, 0, "slide"), (-5, 5, "size")])
def test_windows_have_a_size_and_a_slide(size: int, slide: int, argument: str) -> None:
    with pytest.raises(IllegalArgument, match=rf"{argument} .*WIN-1"):
        Sliding(size, slide)


def test_a_session_has_a_gap() -> None:
    with pytest.raises(IllegalArgument, match=r"gap .*WIN-2"):
        Session(0)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"allowed_lateness": -1}, r"-1 .*WIN-10"),
        ({"trigger": "every-minute"}, r"every-minute.*WIN-5"),
        ({"accumulation": "retracting"}, r"retracting.*WIN-8"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(IllegalArgument, match=complaint):
        Windows(Session(5), **arguments)


@pytest.mark.parametrize("timestamp", [MIN, MAX])
def test_a_record_at_no_moment_of_time_is_refused(timestamp: int) -> None:
    windows = Windows(Session(5))
    with pytest.raises(IllegalArgument, match="WIN-15"):
        windows.record(timestamp, 1)
    assert windows.state() == Windows(Session(5)).state()


def test_windows_at_the_edges_of_time_end_there() -> None:
    first, last = Windows(Sliding(1000, 1000)), Windows(Sliding(1000, 1000))
    first.record(MIN + 1, 1)
    assert first.watermark(MAX)[0] == ("fire", MIN, (MIN // 1000 + 1) * 1000, (1,))
    last.record(MAX - 1, 1)
    assert last.watermark(MAX)[0] == ("fire", MAX // 1000 * 1000, MAX, (1,))


@pytest.mark.parametrize(("ends_before_max", "lateness"), [(2, 2), (3, 3), (2, 5)])
def test_flinks_session_that_is_kept_after_the_end_of_time_rejects_what_merges_it(
    ends_before_max: int, lateness: int
) -> None:
    windows = Windows(Session(1), allowed_lateness=lateness, policies=FLINK_2_3)
    windows.record(MAX - ends_before_max, 0)
    windows.watermark(MAX)
    before = windows.state()
    with pytest.raises(Unsupported, match="WIN-15"):
        windows.record(MAX - ends_before_max - 1, 0)
    assert windows.state() == before


def test_flinks_session_that_is_kept_after_the_end_of_time_is_closed_by_a_late_record_for_it() -> None:
    windows = Windows(Session(1), allowed_lateness=2, policies=FLINK_2_3)
    windows.record(MAX - 2, 0)
    windows.watermark(MAX)
    assert windows.record(MAX - 2, 1) == [("late", 1)]
    again = Windows(Session(1), allowed_lateness=2, policies=FLINK_2_3)
    again.restore(windows.snapshot())
    for one in (windows, again):
        assert one.record(MAX - 3, 2) == [("late", 2)], "nothing merges it any more"
        assert one.expired_state() == [("state-size", 1)], "but its state stays"
