"""Counterexamples once more, in a fresh process and each by itself: one whose answer depends on what ran
before it does not repeat there."""

import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from ..wire.results import Counterexample, Results, RuleResult
from ..wire.transcript import Transcript
from .request import Request

NOT_ALONE = " (in a process of its own the answer is another one: engines share state)"

_PATIENCE = 120.0
"""Seconds for all counterexamples of a run; an engine that takes longer is not asked."""

_ENCODER = msgspec.json.Encoder()


def confirmed(results: Results, request: Request) -> Results:
    """The results, where the counterexamples that do not repeat in a fresh process say so."""
    shown = [(rule.id, rule.counterexample) for rule in results.rules if _is_asked(rule)]
    examples = [(name, example) for name, example in shown if example is not None]
    transcripts = _transcripts([_renamed(name, example) for name, example in examples], request)
    changed = {
        name for name, example in examples if name in transcripts and transcripts[name] != _got(example)
    }
    return replace(results, rules=[_marked(rule) if rule.id in changed else rule for rule in results.rules])


def _is_asked(rule: RuleResult) -> bool:
    example = rule.counterexample
    return example is not None and example.deterministic and bool(example.steps)


def _renamed(name: str, example: Counterexample) -> bytes:
    return _ENCODER.encode({**example.scenario, "id": name})


def _transcripts(scenarios: Sequence[bytes], request: Request) -> dict[str, list[list[dict[str, Any]]]]:
    """What comes out of each scenario, by its id; nothing if the engine cannot be asked in time."""
    if not scenarios:
        return {}
    command = [sys.executable, "-m", "tidegauge", "execute", "--adapter", request.adapter]
    for key, value in request.options.items():
        command += ["--option", f"{key}={value}"]
    try:
        ended = subprocess.run(
            command, input=b"\n".join(scenarios), capture_output=True, timeout=_PATIENCE, check=False
        )
        found = [msgspec.json.decode(line, type=Transcript) for line in ended.stdout.splitlines()]
    except (subprocess.TimeoutExpired, OSError, msgspec.DecodeError):
        return {}
    return {one.scenario: _wire(one) for one in found}


def _wire(transcript: Transcript) -> list[list[dict[str, Any]]]:
    outputs: list[list[dict[str, Any]]] = msgspec.to_builtins(transcript.outputs)
    return [list(span) for span in outputs]


def _got(example: Counterexample) -> list[list[dict[str, Any]]]:
    return [list(step.got) for step in example.steps if step.got is not None]


def _marked(rule: RuleResult) -> RuleResult:
    example = rule.counterexample
    assert example is not None
    return replace(rule, counterexample=replace(example, got=example.got + NOT_ALONE, deterministic=False))
