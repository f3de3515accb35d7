"""The files of a project around a stateful processor."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from tidegauge.commands.new_project.kit_address import KitAddress
from tidegauge.commands.new_project.new_project import NewProject, rendered
from tidegauge.wire.scenario import BadInput

from ..processor_under_test import ProcessorUnderTest
from ..target import imported
from .described_processor import described

FILL_IN = "FILL IN"
"""Marks the lines of `checks.py` that a user has to complete."""

_FILES = {
    "test_processor.py": "test_processor.py.j2",
    "tox.ini": "tox.ini.j2",
    ".github/workflows/processors.yml": "processors.yml.j2",
    "README.md": "README.md.j2",
}


def project(name: str, target: str, kit: KitAddress) -> NewProject:
    """Return a project that puts a processor under test.

    Args:
        name: the name of the project, and of its folder.
        target: an existing processor, `module:Name`; "" for a small one that is written.
        kit: where the project installs the kit from.

    Raises:
        BadInput: if the target does not load, or is not a processor.
    """
    if not target:
        values = {"name": name, "module": "minute_counts", "subject": "minute_counts", "is_outside": False}
        values |= kit.template_values
        own = {"minute_counts.py": "minute_counts.py.j2", "checks.py": "checks_of_minute_counts.py.j2"}
        return NewProject(
            files=rendered(__package__, own | _FILES, values),
            command="tidegauge processor checks:minute_counts",
        )
    processor = imported(target)
    module = target.partition(":")[0]
    if isinstance(processor, ProcessorUnderTest):
        raise BadInput(f"{target} is a ProcessorUnderTest; `tidegauge processor {target}` checks it")
    if not callable(processor):
        raise BadInput(f"{target} is {type(processor).__name__}; name the class of a processor")
    if module.split(".")[0] in ("checks", "test_processor"):
        raise BadInput(f"module {module!r} has the name of a file that is written; rename the module")
    about = described(processor, module)
    subject = _snake(about.name)
    values = {
        "name": name,
        "module": module,
        "subject": subject if subject != about.name else f"{subject}_under_test",
        "about": about,
        "input_schema": _columns(about.known.get("key", ""), about.columns_read),
        "output_schema": _columns("", about.columns_written),
        "fill_in": FILL_IN,
        "is_outside": _is_outside(module),
        **kit.template_values,
    }
    files = rendered(__package__, {"checks.py": "checks.py.j2"} | _FILES, values)
    return NewProject(
        files=files,
        command=f"tidegauge processor checks:{values['subject']}",
        to_do=_to_do(files["checks.py"], name),
    )


def _is_outside(module: str) -> bool:
    """Whether a module is found because it is in the current folder."""
    first = module.split(".")[0]
    return Path(first).is_dir() or Path(f"{first}.py").is_file()


def _to_do(checks: str, name: str) -> str:
    lines = sum(f"# {FILL_IN}" in line for line in checks.splitlines())
    if not lines:
        return ""
    return f"Fill in {lines} {'line' if lines == 1 else 'lines'} of {name}/checks.py, marked {FILL_IN}."


def _columns(key: str, names: Iterable[str]) -> str:
    """A schema whose types are to be filled in."""
    columns = dict.fromkeys([*re.findall(r"\w+", key), *names])
    return ", ".join(f"{column} ?" for column in columns) or "?"


def _snake(name: str) -> str:
    """The name of a variable for a class: `MinuteCounts` becomes `minute_counts`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
