"""Invalid shapes are rejected with one line that names the invalid value and the known values."""

from __future__ import annotations

from typing import Any

import pytest

from tidegauge import ComponentAdapter, GeneratorShape, IdlenessShape, ValveShape, WindowShape
from tidegauge.engine.loading import describe
from tidegauge.engine.shape_check import read_shapes
from tidegauge.wire.scenario import BadInput
from tidegauge_reference import Valve


def refusal(*shapes: Any) -> str:
    class Declares(ComponentAdapter):
        def valve(self, setup: Any) -> Valve:
            return Valve(setup.channels)

    Declares.shapes = shapes
    with pytest.raises(BadInput) as refused:
        describe("x:Y", Declares({}))
    return str(refused.value)


@pytest.mark.parametrize(
    ("shapes", "problem"),
    [
        (
            (IdlenessShape(contract=("record-ahead",)),),
            "its shape of the component idleness: contract has record-ahead, and the component has no records or "
            "watermarks",
        ),
        (
            (WindowShape(assigners=("tumblin",)),),  # type: ignore[arg-type]
            "its shape of the component window: assigners has an unknown value 'tumblin'; did you mean 'tumbling'? "
            "known are tumbling, sliding, session",
        ),
        (
            (WindowShape(assigners="tumbling"),),  # type: ignore[arg-type]
            "its shape of the component window: assigners is 'tumbling'; give a list of tumbling, sliding, session",
        ),
        (
            (WindowShape(assigners=()),),
            "its shape of the component window: assigners is empty; give one or more of tumbling, sliding, session",
        ),
        (
            (GeneratorShape(without_steps=("tik",)),),
            "its shape of the component generator: without_steps has an unknown step 'tik'; did you mean 'tick'?",
        ),
        (
            (ValveShape(statuses="guessed"),),  # type: ignore[arg-type]
            "its shape of the component valve: statuses has an unknown value 'guessed'; known are explicit, implied, none",
        ),
        ((ValveShape(most_channels=0),), "its shape of the component valve: Expected `int` >= 1"),
        (
            (ValveShape(lowest=5, highest=1),),
            "its shape of the component valve: lowest is 5 and highest is 1; swap them",
        ),
        ((ValveShape(), ValveShape()), "shapes has two shapes of the component valve; merge them"),
        (("valve",), "'valve' in shapes is not a shape; known: ClockShape, GeneratorShape"),
    ],
)
def test_an_invalid_shape_is_rejected_in_one_line(shapes: tuple[Any, ...], problem: str) -> None:
    message = refusal(*shapes)
    assert message.startswith(f"adapter 'x:Y': {problem}")
    assert "\n" not in message


def test_shapes_that_are_not_a_tuple_are_rejected() -> None:
    class Declares(ComponentAdapter):
        shapes = ValveShape()  # type: ignore[assignment]

        def valve(self, setup: Any) -> Valve:
            return Valve(setup.channels)

    with pytest.raises(BadInput, match="give a tuple, such as"):
        describe("x:Y", Declares({}))


def test_shapes_are_read_from_the_wire_form() -> None:
    assert read_shapes([{"component": "valve", "most_channels": 3}]) == (ValveShape(most_channels=3),)
    for document, problem in (
        ({"component": "valv"}, "unknown component 'valv'; did you mean 'valve'?"),
        (
            {"component": "valve", "most_chanels": 3},
            "unknown field 'most_chanels'; did you mean 'most_channels'?",
        ),
        ("valve", "unknown component"),
        ({"component": "valve", "most_channels": "3"}, "Expected `int`, got `str`"),
    ):
        with pytest.raises(BadInput) as refused:
            read_shapes([document])
        assert problem in str(refused.value)
