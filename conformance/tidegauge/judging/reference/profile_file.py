"""Write an author's profile from the diagnosis of a run. Existing comments and entries are kept."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import tomlkit

from ...wire.input_file import read_input_text
from ...wire.own_profile import Choice, OwnProfile, ReasonedShape
from ...wire.scenario import BadInput
from .profiles import read_own_profile


def add_to_file(path: Path, found: OwnProfile) -> OwnProfile:
    """Add the new entries to the file and return them.

    The file is created if it does not exist. Existing entries keep their values and reasons.

    Raises:
        BadInput: if the file is not a profile, has a different name or base, or cannot be written.
    """
    known = read_own_profile(path, with_reasons=False) if path.exists() else None
    if known is not None and (known.name, known.base) != (found.name, found.base):
        raise BadInput(
            f"{path} is the profile {known.name} on {known.base}, not {found.name} on {found.base}; "
            "choose another file with --to"
        )
    new = msgspec.structs.replace(
        found,
        choices=tuple(each for each in found.choices if known is None or not _has_choice(known, each)),
        shapes=tuple(each for each in found.shapes if known is None or not _has_shape(known, each)),
    )
    try:
        text = read_input_text(path) if path.exists() else _HEADING
        document = tomlkit.parse(text)
        if known is None:
            document.update({"name": found.name, "base": found.base})
        _append(document, "choice", [_choice_table(choice) for choice in new.choices])
        _append(document, "shape", [_shape_table(shape) for shape in new.shapes])
        path.write_text(tomlkit.dumps(document), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from None
    return new


_HEADING = "# Choices of the engine's author: each entry needs a reason.\n"


def _has_choice(known: OwnProfile, choice: Choice) -> bool:
    return choice.policy in {each.policy for each in known.choices}


def _has_shape(known: OwnProfile, shape: ReasonedShape) -> bool:
    return type(shape.features) in {type(each.features) for each in known.shapes}


def _append(document: Any, name: str, tables: Sequence[dict[str, Any]]) -> None:
    if not tables:
        return
    entries = document.setdefault(name, tomlkit.aot())
    for fields in tables:
        table = tomlkit.table()
        table.update(fields)
        entries.append(table)


def _choice_table(choice: Choice) -> dict[str, Any]:
    return {"policy": choice.policy, "value": choice.value, "reason": choice.reason}


def _shape_table(shape: ReasonedShape) -> dict[str, Any]:
    return {**msgspec.to_builtins(shape.features), "reason": shape.reason}
