"""The two halves of the low-watermark service: what they share, and what comes out when they are put together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from component_scenarios import all_kinds
from engines import examiner_of

from tidegauge import ComponentAdapter
from tidegauge.components.registry import COMPONENTS
from tidegauge.components.shared.random_source import RandomSource
from tidegauge.judging.items.item_report import ItemReport
from tidegauge_reference import CORE, MAX, IllegalArgument, Policies
from tidegauge_reference.low_watermark import LowWatermarkService, Task, Vertex

EVERY = Policies(low_watermark_counts="every-subtask-with-partitions")
BOTH = {policies.low_watermark_counts: policies for policies in (CORE, EVERY)}

each_policy = pytest.mark.parametrize("policies", BOTH.values(), ids=BOTH)


class Composed:
    """One engine's coordinators and another's tasks; both hear who joins, leaves and has partitions."""

    def __init__(self, coordinators: Any, tasks: Any) -> None:
        self.coordinators = coordinators
        self.tasks = tasks
        self.trigger = coordinators.trigger
        self.reply = coordinators.reply
        self.watermark = tasks.watermark
        self.retrieve = tasks.retrieve
        self.notify = tasks.notify

    def join(self, vertex: str) -> Any:
        return [*self.coordinators.join(vertex), *self.tasks.join(vertex)]

    def leave(self, vertex: str, task: int) -> Any:
        return [*self.coordinators.leave(vertex, task), *self.tasks.leave(vertex, task)]

    def partitions(self, vertex: str, task: int, count: int) -> Any:
        return [
            *self.coordinators.partitions(vertex, task, count),
            *self.tasks.partitions(vertex, task, count),
        ]


@each_policy
def test_the_halves_share_nothing_but_messages(policies: Policies) -> None:
    """So an engine that has one half only is completed by the reference's other half."""
    component = COMPONENTS["low_watermark"]

    class Halves(ComponentAdapter):
        def low_watermark(self, setup: Any) -> Composed:
            return Composed(component.reference(setup, policies), component.reference(setup, policies))

    report = ItemReport("halves", "low_watermark")
    examiner = examiner_of(Halves({}), policies)
    examiner.compare(report, examiner.applicable(all_kinds("low_watermark", policies)))
    assert report.scenarios > 1000
    assert report.failing == 0


def orders(tasks: list[Task]) -> Vertex:
    """A listening source."""
    there = tuple(range(len(tasks)))
    return Vertex(tuple(tasks), there, "shop/orders", source=True, cooperating=True, listening=True)


def started(partitions: list[bool], policies: Policies) -> LowWatermarkService:
    """The service of one listening source."""
    return LowWatermarkService([orders([Task(partitions=some) for some in partitions])], policies)


def round_of(service: LowWatermarkService, timestamp: int) -> None:
    """One round in which every message arrives."""
    for _, asked_at, address in service.trigger(timestamp):
        task = int(address.rpartition("/")[2])
        for _, _, low_watermark in service.retrieve("shop/orders", task, asked_at):
            for _, result, at, told in service.reply("shop/orders", task, low_watermark):
                service.notify("shop/orders", int(told.rpartition("/")[2]), result, at)


def jobs(policies: Policies, stalling: bool) -> Iterator[LowWatermarkService]:
    """Jobs after each round; the tasks that have partitions move on between rounds, unless they stall."""
    for index in range(200):
        random = RandomSource(1, index)
        service = started([index % 2 == 0, True, False, random.chance(50)], policies)
        tasks = service.vertices["shop/orders"].tasks
        for number in range(10):
            for task, held in enumerate(tasks):
                if held.partitions and not (stalling and random.chance(40)):
                    service.watermark("shop/orders", task, max(held.current, 0) + random.between(1, 20))
            round_of(service, number * 1000)
            yield service


def low_watermark(service: LowWatermarkService) -> int:
    """Where the slowest task with partitions is."""
    return min(task.current for task in service.vertices["shop/orders"].tasks if task.partitions)


def test_empty_tasks_follow_the_slowest_while_all_others_move() -> None:
    for service in jobs(CORE, stalling=False):
        empty = {task.current for task in service.vertices["shop/orders"].tasks if not task.partitions}
        assert empty == {low_watermark(service)}


@each_policy
def test_a_task_that_stands_still_is_overtaken_unless_it_counts(policies: Policies) -> None:
    overtaken = [
        service.vertices["shop/orders"].result > low_watermark(service)
        for service in jobs(policies, stalling=True)
    ]
    assert any(overtaken) == (policies is CORE)


def test_a_result_is_the_last_one_though_nobody_was_there_to_be_told() -> None:
    """Compared is with the aggregate of the last round (C14), not with what somebody heard of it."""
    service = started([True, True], CORE)
    service.trigger(1000)
    service.reply("shop/orders", 0, 5)
    service.leave("shop/orders", 0)
    assert service.leave("shop/orders", 1) == []
    service.join("shop/orders")
    service.trigger(2000)
    assert service.reply("shop/orders", 2, 5) == []
    service.trigger(3000)
    told = service.reply("shop/orders", 2, 6)
    assert told == [("notify-new-low-watermark", 6, 3000, "shop/orders/2")]


def test_a_reply_of_a_task_that_left_before_it_arrived_does_not_count() -> None:
    service = started([True, True], CORE)
    service.trigger(1000)
    service.leave("shop/orders", 1)
    assert service.reply("shop/orders", 1, 3) == []
    told = service.reply("shop/orders", 0, 5)
    assert told == [("notify-new-low-watermark", 5, 1000, "shop/orders/0")]


def test_an_empty_task_that_is_alone_never_ends() -> None:
    service = started([False], CORE)
    round_of(service, 1000)
    (task,) = service.vertices["shop/orders"].tasks
    service.notify("shop/orders", 0, MAX, 1000)
    assert task.current != MAX


def test_a_service_without_vertices_or_with_two_of_a_name_is_refused() -> None:
    with pytest.raises(IllegalArgument, match="LOW-15"):
        LowWatermarkService([])
    with pytest.raises(IllegalArgument, match="LOW-15"):
        LowWatermarkService([orders([]), orders([])])
