"""A folder of Allure results that is shared with others: what is ours is replaced, all else stays."""

import json
from pathlib import Path
from typing import Any

from tidegauge.wire.input_file import read_input
from tidegauge.wire.results import Results
from tidegauge.wire.scenario import BadInput

from ..text import short
from .allure_result import FRAMEWORK
from .run_facts import run_facts


def _starting(word: str) -> str:
    """An expression, in the syntax of Java and JavaScript, for whole messages that start with a word."""
    return f"{word}: [\\s\\S]*"


CATEGORIES: list[dict[str, Any]] = [
    {"name": "Broken rules", "matchedStatuses": ["failed"], "messageRegex": _starting("Broken")},
    {
        "name": "Suspects: one of several rules is broken",
        "matchedStatuses": ["failed"],
        "messageRegex": r"Suspect \([\s\S]*",
    },
    {"name": "Errors of the engine", "matchedStatuses": ["broken"], "messageRegex": _starting("Error")},
    {"name": "Rules not tested", "matchedStatuses": ["unknown"], "messageRegex": _starting("Not tested")},
    {"name": "Not as known", "matchedStatuses": ["failed"], "messageRegex": _starting("Not as known")},
    {
        "name": "Known deviations",
        "matchedStatuses": ["skipped"],
        "messageRegex": _starting("Known deviation"),
    },
    {"name": "Not applicable", "matchedStatuses": ["skipped"], "messageRegex": _starting("Not applicable")},
]
"""By the beginnings of our messages, so that tests of others in the same folder are not counted."""

_OURS = f"{FRAMEWORK}."


def clear_ours(folder: Path) -> None:
    """Take out the results of an earlier run with their attachments."""
    for path in sorted(folder.glob("*-result.json")):
        result = _read(path)
        if isinstance(result, dict) and _is_ours(result):
            for attachment in result.get("attachments") or []:
                name = attachment.get("source") if isinstance(attachment, dict) else None
                if isinstance(name, str) and name == Path(name).name:
                    (folder / name).unlink(missing_ok=True)
            path.unlink()


def _is_ours(result: dict[str, Any]) -> bool:
    return {"name": "framework", "value": FRAMEWORK} in (result.get("labels") or [])


def write_categories(folder: Path) -> None:
    """Add our categories to those that are there."""
    path = folder / "categories.json"
    there = _read(path) if path.exists() else []
    if not isinstance(there, list):
        raise BadInput(f"{path} is not a list of Allure's categories; mend it or take it away")
    names = {category["name"] for category in CATEGORIES}
    others = [one for one in there if not (isinstance(one, dict) and one.get("name") in names)]
    path.write_text(json.dumps([*others, *CATEGORIES], indent=1) + "\n", encoding="utf-8", newline="\n")


def write_environment(folder: Path, results: Results) -> None:
    """Put who was under test and how into the properties of the environment, beside those of others."""
    path = folder / "environment.properties"
    there = read_input(path).decode("latin-1").splitlines() if path.exists() else []
    told = {**run_facts(results), "version": results.tidegauge}
    others = [line for line in there if not line.startswith(_OURS)]
    lines = [*others, *(f"{_OURS}{name} = {_escaped(value)}" for name, value in told.items())]
    path.write_text("\n".join(lines) + "\n", encoding="latin-1", newline="\n")


def _escaped(value: str) -> str:
    """A value of a file of properties, which is ASCII."""
    units = short(value, 300).replace("\\", "\\\\").encode("utf-16-be")
    codes = [units[index] << 8 | units[index + 1] for index in range(0, len(units), 2)]
    return "".join(chr(code) if code < 0x7F else f"\\u{code:04x}" for code in codes)


def _read(path: Path) -> Any:
    """A JSON file, or None if it is none."""
    try:
        return json.loads(read_input(path))
    except (OSError, ValueError, RecursionError):
        return None
