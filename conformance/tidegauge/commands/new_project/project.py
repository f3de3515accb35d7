"""The command that writes a new project."""

import re
import shlex
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Literal

import typer

from ...components.registry import COMPONENTS
from ...wire.scenario import BadInput
from ...wire.unknown_names import unknown
from ..console import OUT, complains
from ..registered import loaded
from ..terminal_text import inline
from .kit_address import KitAddress, kit_address
from .new_project import NewProject, rendered
from .skeleton import skeletons_of

Language = Literal["python", "process", "pyspark"]

_GROUP = "tidegauge.projects"
"""The entry points of languages whose projects other packages make."""

_FILES: dict[Language, dict[str, str]] = {
    "python": {
        "engine.py": "engine.py.j2",
        "tox.ini": "tox.ini.j2",
        ".github/workflows/conformance.yml": "conformance.yml.j2",
        "README.md": "README.md.j2",
    },
    "process": {
        "engine.js": "engine.js.j2",
        "tox.ini": "tox.ini.j2",
        ".github/workflows/conformance.yml": "conformance.yml.j2",
        "README.md": "README.md.j2",
    },
}
_ENGINE: dict[Language, str] = {
    "python": "--adapter engine:Engine",
    "process": "--command 'node engine.js'",
}
_DRAWN = sorted(name for name, component in COMPONENTS.items() if component.drawn)
_NAME = re.compile(r"[A-Za-z0-9][\w. -]*")


@complains
def init(
    name: Annotated[str, typer.Argument(help="The name of the engine, and of the folder to make.")],
    component: Annotated[
        list[str] | None,
        typer.Option(metavar="COMPONENT", help="What the engine has; default: valve. Repeatable."),
    ] = None,
    language: Annotated[
        Language,
        typer.Option(
            help="python: in the kit's process; process: any other, with JavaScript as the start; "
            "pyspark: a stateful processor."
        ),
    ] = "python",
    processor: Annotated[
        str,
        typer.Option(
            metavar="MODULE:NAME",
            help="The class of a processor of yours, for pyspark; default: a small one is written.",
        ),
    ] = "",
    kit: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Where the project installs Tidegauge from: a folder, a wheel, https:// or git+https://; "
            "default: where it was installed from here.",
        ),
    ] = "",
) -> None:
    """Write a project that puts an engine under test: methods to fill in, tox.ini, a CI workflow, README."""
    if not name:
        raise BadInput("the name is empty; give the engine one")
    if not _NAME.fullmatch(name):
        raise BadInput(f"name {name!r} has other signs than letters, digits, spaces, '.', '_' and '-'")
    folder = Path(name)
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; choose another name")
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} exists and is not empty; choose another name, or empty it")
    if language == "pyspark":
        if component:
            raise BadInput("--component: a processor has none; leave it out with --language pyspark")
        project = _of_processor(name, processor, kit_address(kit))
    elif processor:
        raise BadInput(f"--processor {processor}: it needs --language pyspark")
    else:
        project = _of_components(name, component or [], language, kit_address(kit))
    for path, text in project.files.items():
        try:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise BadInput(f"{folder / path} cannot be written: {error.strerror}") from None
        OUT.print(inline(str(folder / path)), soft_wrap=True)
    OUT.print()
    if project.to_do:
        OUT.print(inline(project.to_do), soft_wrap=True)
    go = f"cd {shlex.quote(str(folder))} && {project.command}"
    OUT.print(f"{'Then' if project.to_do else 'Now'}: {inline(go)}", soft_wrap=True)


def _of_components(name: str, components: list[str], language: Language, kit: KitAddress) -> NewProject:
    """The project of an engine with these components."""
    chosen = list(dict.fromkeys(components or ["valve"]))
    for one in chosen:
        if one not in _DRAWN:
            raise BadInput(unknown("component", one, _DRAWN))
    skeletons = {one: list(skeletons_of(COMPONENTS[one])) for one in chosen}
    values = {"name": name, "components": skeletons, "language": language, "engine": _ENGINE[language]}
    return NewProject(
        files=rendered(__package__, _FILES[language], values | kit.template_values),
        command=f"tidegauge run {_ENGINE[language]} --budget smoke",
    )


def _of_processor(name: str, processor: str, kit: KitAddress) -> NewProject:
    """The project of a stateful processor, which the adapter of PySpark makes."""
    for entry in entry_points(group=_GROUP, name="pyspark"):
        try:
            project: NewProject = loaded(entry)(name, processor, kit)
        except BadInput as problem:
            raise BadInput(f"--language pyspark: {problem}") from None
        return project
    raise BadInput("--language pyspark: no installed package makes such a project; install tidegauge again")
