"""A mistake in the shape of an engine is named before anything is run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import Command

ENGINE = """
from tidegauge import ComponentAdapter

class MyValve:
    def __init__(self, channels):
        pass
    def watermark(self, {arguments}):
        return []
    def idle(self, channel, *more):
        return []
    {active}

class Mine(ComponentAdapter):
    def valve(self, setup):
        return MyValve(setup.channels)
"""
ACTIVE = "active = idle"


@pytest.mark.parametrize(
    ("arguments", "active", "said"),
    [
        ("channel, timestamp", "", "MyValve has no method active(channel)."),
        pytest.param(
            "channel, timestamp",
            "active = 7",
            "MyValve has no method active(channel).",
            marks=pytest.mark.slower,
        ),
        (
            "timestamp",
            ACTIVE,
            "MyValve.watermark(timestamp) does not take the arguments of watermark(channel, timestamp).",
        ),
    ],
)
def test_it_is_named_in_one_line(
    arguments: str, active: str, said: str, tidegauge: Command, engine_module: Callable[[str, str], None]
) -> None:
    engine_module("shaped", ENGINE.format(arguments=arguments, active=active))
    ended = tidegauge("run", "--adapter", "shaped:Mine", "--budget", "smoke")
    assert ended.returncode == 2, ended.stdout
    assert ended.stderr == (
        f"tidegauge: adapter 'shaped:Mine': {said} `tidegauge init` writes all methods of a component; an engine "
        "without a feature declares that in `shapes`, and what it cannot do raises tidegauge.Unsupported\n"
    )


@pytest.mark.slower
def test_other_names_and_more_parameters_are_no_mistake(
    tidegauge: Command, engine_module: Callable[[str, str], None]
) -> None:
    engine_module("shaped", ENGINE.format(arguments="of, at, why=None", active=ACTIVE))
    ended = tidegauge("run", "--adapter", "shaped:Mine", "--budget", "smoke", "--rule", "VALVE-22")
    assert ended.returncode == 1, ended.stderr
