"""What a new project is, and how its files are made of templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


@dataclass(frozen=True)
class NewProject:
    """A project to be written.

    Attributes:
        files: the text of each file by its path in the project.
        command: the first command to run in its folder.
        to_do: what has to be done before, as a sentence; empty if nothing has.
    """

    files: Mapping[str, str]
    command: str
    to_do: str = ""


def rendered(package: str, templates: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, str]:
    """Return the text of each file of a project.

    Args:
        package: the package whose folder `templates` has the templates.
        templates: the name of the template of each file, by its path in the project.
        values: the variables of the templates.
    """
    environment = Environment(
        loader=PackageLoader(package),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # what is written is no HTML, and names are checked
    )
    return {path: environment.get_template(name).render(values) for path, name in templates.items()}
