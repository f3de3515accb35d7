"""What two instances of an engine do to one another, in words and as data, with a file that replays it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..components.wording import answer_text, interference_message
from ..judging.items.isolation import answer_at, first_difference, in_order
from ..judging.items.item_report import SeenInterference
from ..wire.results import InstanceStep, Interference
from ..wire.scenario import component_of, encode_scenario
from ..wire.transcript import Outputs, Transcript
from .counterexamples import COUNTEREXAMPLES, replaying
from .own_folder import write_own
from .request import Request


def interference_text(seen: SeenInterference, replay: str) -> str:
    """An interference in words."""
    steps = in_order([len(one.history) for one in seen.scenarios], seen.alternately)
    differing = _differing(seen)
    instance, place = differing
    before = [
        (number, seen.scenarios[number].history[step], _outputs(seen.together[number], step) or ())
        for number, step in steps[: steps.index(differing)]
    ]
    return interference_message(
        scenarios=seen.scenarios,
        before=before,
        at=(instance, seen.scenarios[instance].history[place]),
        alone=answer_text(answer_at(seen.alone[instance], place)),
        together=answer_text(answer_at(seen.together[instance], place)),
        alternately=seen.alternately,
        replay=replay,
    )


def interference_of(
    seen: SeenInterference, request: Request, profile: str, folder: Path, repeats: bool | None = None
) -> Interference:
    """An interference as results have it; its file is written into `folder`."""
    steps = in_order([len(one.history) for one in seen.scenarios], seen.alternately)
    file = f"{COUNTEREXAMPLES}/{component_of(seen.scenarios[0])}-interleaved.jsonl"
    write_own(folder, file, b"".join(encode_scenario(one) + b"\n" for one in seen.scenarios))
    replay = replaying(folder / file, request, profile, "--interleaved" if seen.alternately else "")
    return Interference(
        scenarios=[msgspec.to_builtins(one) for one in seen.scenarios],
        steps=[
            InstanceStep(
                number,
                msgspec.to_builtins(seen.scenarios[number].history[step]),
                _wire(_outputs(seen.alone[number], step)),
                _wire(_outputs(seen.together[number], step)),
            )
            for number, step in steps
        ],
        differs_at=steps.index(_differing(seen)),
        message=interference_text(seen, replay),
        replay=replay,
        file=file,
        alternately=seen.alternately,
        repeats=repeats,
    )


def _differing(seen: SeenInterference) -> tuple[int, int]:
    differing = first_difference(seen)
    if differing is None:
        raise ValueError("instances that do as each does alone do not interfere")
    return differing


def _outputs(transcript: Transcript, step: int) -> Outputs | None:
    return transcript.outputs[step] if step < len(transcript.outputs) else None


def _wire(outputs: Sequence[Any] | None) -> list[dict[str, Any]] | None:
    return None if outputs is None else [msgspec.to_builtins(output) for output in outputs]
