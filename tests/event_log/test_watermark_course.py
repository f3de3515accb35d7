"""The course of a watermark: few steps, the same in whatever parts a log is judged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from log_pages import NOW, document_of, seconds

from tidegauge_pipeline.event_log.job.watermark_course import MOST_STEPS, WatermarkCourse

outputs = st.lists(st.tuples(st.integers(0, 10**6), st.integers(-(10**9), 10**9)), max_size=400)


def course(marks: list[tuple[int, int]]) -> WatermarkCourse:
    """Return the course of watermarks, added one by one."""
    whole = WatermarkCourse()
    for at, watermark in marks:
        whole.add(WatermarkCourse(1, {at: (watermark, watermark)}))
    return whole


@given(outputs, st.integers(0, 400))
def test_the_sum_of_parts_is_that_of_the_whole_in_any_order(marks: list[tuple[int, int]], cut: int) -> None:
    for first, second in ((marks[:cut], marks[cut:]), (marks[cut:], marks[:cut])):
        parts = course(first)
        parts.add(course(second))
        assert parts == course(marks)
    assert len(course(marks).steps) <= MOST_STEPS


def test_a_long_log_has_few_steps_that_hold_its_extremes() -> None:
    (operator,) = document_of(seconds(list(range(5000)))).operators
    assert MOST_STEPS // 2 <= len(operator.watermark_course.steps) <= MOST_STEPS
    assert min(low for low, _ in operator.watermark_course.steps.values()) == NOW - 10_000
    assert max(high for _, high in operator.watermark_course.steps.values()) == NOW + 4_989_000


def test_the_end_of_input_is_no_step() -> None:
    rows = seconds([1, 2, 3])
    end = {**rows[-1], "kind": "watermark", "event_time": 2**63 - 1}
    assert (
        document_of([*rows, end]).operators[0].watermark_course
        == document_of(rows).operators[0].watermark_course
    )
