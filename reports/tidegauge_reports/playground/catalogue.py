"""What the playground offers: components with their setups and steps, and the profiles."""

from collections.abc import Iterator
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from tidegauge.components.component import Component
from tidegauge.components.registry import COMPONENTS
from tidegauge.components.wording import fields_text
from tidegauge.vectors.published import load_vectors
from tidegauge.wire.steps.job import JobSetup
from tidegauge.wire.vocabulary import Restore, Snapshot, Step
from tidegauge_reference import PROFILES

from ..chapter_titles import chapter_title

Wire = dict[str, Any]


def catalogue() -> Wire:
    """All that can be chosen, as JSON has it. Whole jobs are no part of it: nothing is expected of them step
    by step."""
    offered = [component for component in COMPONENTS.values() if component.setup is not JobSetup]
    return {"components": list(map(_component, offered)), "profiles": list(PROFILES)}


def _component(component: Component) -> Wire:
    kinds: tuple[type[Step], ...] = (*component.calls, Snapshot, Restore)
    return {
        "name": component.name,
        "title": chapter_title(component.name),
        "setups": list(_setups(component)),
        "steps": [_step(component, kind) for kind in kinds],
    }


def _setups(component: Component) -> Iterator[Wire]:
    """The setups of the golden vectors, each once."""
    seen = set()
    for vector in load_vectors(component.name):
        written = msgspec.json.encode(vector.scenario.setup)
        if written not in seen:
            seen.add(written)
            yield {"words": fields_text(vector.scenario.setup), "setup": msgspec.json.decode(written)}


def _step(component: Component, kind: type[Step]) -> Wire:
    """A kind of step: what it says, and its fields with a value to start from and the choices, if they are
    few."""
    sample = _sample(component, kind)
    hints = get_type_hints(kind)
    return {
        "step": kind.__struct_config__.tag,
        "says": " ".join((kind.__doc__ or "").split()),
        "fields": [
            {
                "name": name,
                "value": sample.get(name),
                "choices": _choices(hints[name]),
                "is_text": hints[name] is str,
            }
            for name in kind.__struct_fields__
        ],
    }


def _sample(component: Component, kind: type[Step]) -> Wire:
    """The shortest step of this kind in the golden vectors; empty if there is none."""
    steps = (step for vector in load_vectors(component.name) for step in vector.scenario.history)
    of_this_kind = [step for step in steps if type(step) is kind]
    if not of_this_kind:
        return {}
    shortest = min(of_this_kind, key=lambda step: len(msgspec.json.encode(step)))
    return {name: getattr(shortest, name) for name in kind.__struct_fields__}


def _choices(hint: Any) -> list[Any] | None:
    """The values of a field that has only a few; None if there are many."""
    if get_origin(hint) in (Union, UnionType):
        parts = [_choices(part) for part in get_args(hint)]
        if any(part is None for part in parts):
            return None
        return [value for part in parts for value in part or ()]
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    if hint is bool:
        return [True, False]
    return [None] if hint is type(None) else None
