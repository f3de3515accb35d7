"""The conversation of `adapters/PROTOCOL.md`: its requests are the kit's, and its answers those of the reference."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
from conftest import PATIENCE, ROOT

from tidegauge.wire.protocol import ANSWERS, AnyRequest, Description

PROGRAM = Path(__file__).parent.parent / "samples" / "protocol_engine.py"


def said_by(side: str) -> list[str]:
    """The lines of one side of the conversation."""
    text = (ROOT / "adapters" / "PROTOCOL.md").read_text(encoding="utf-8")
    return [line.removeprefix(f"{side} ") for line in text.splitlines() if line.startswith(f"{side} {{")]


def without_receivers(told: Any) -> Any:
    """An answer without the receivers that need not be said."""
    if isinstance(told, dict):
        return {name: without_receivers(value) for name, value in told.items() if name != "to"}
    return [without_receivers(one) for one in told] if isinstance(told, list) else told


def test_every_line_is_of_the_protocol() -> None:
    requests, answers = said_by(">"), said_by("<")
    assert (len(requests), len(answers)) == (6, 5)
    for request in requests:
        msgspec.json.decode(request, type=AnyRequest)
    assert isinstance(ANSWERS.decode(answers[0]), Description)


def test_the_reference_answers_so() -> None:
    ended = subprocess.run(
        [sys.executable, str(PROGRAM)],
        input="\n".join(said_by(">")) + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    answered = [without_receivers(json.loads(line)) for line in ended.stdout.splitlines()]
    assert answered[1:] == [json.loads(line) for line in said_by("<")][1:]
