"""The files of a new project, and the command that writes them."""

import re
import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer
from jinja2 import Environment, PackageLoader, StrictUndefined

from ...components.registry import COMPONENTS
from ...wire.scenario import BadInput
from ...wire.unknown_names import unknown
from ..console import OUT, complains
from ..terminal_text import inline
from .skeleton import skeletons_of

Language = Literal["python", "process"]

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
        typer.Option(help="python: in the kit's process; process: any other, with JavaScript as the start."),
    ] = "python",
) -> None:
    """Write a project that puts an engine under test: methods to fill in, tox.ini, a CI workflow, README."""
    chosen = list(dict.fromkeys(component or ["valve"]))
    for one in chosen:
        if one not in _DRAWN:
            raise BadInput(unknown("component", one, _DRAWN))
    if not name:
        raise BadInput("the name is empty; give the engine one")
    if not _NAME.fullmatch(name):
        raise BadInput(f"name {name!r} has other signs than letters, digits, spaces, '.', '_' and '-'")
    folder = Path(name)
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; choose another name")
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} exists and is not empty; choose another name, or empty it")
    for path, text in files_of(name, chosen, language).items():
        try:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise BadInput(f"{folder / path} cannot be written: {error.strerror}") from None
        OUT.print(inline(str(folder / path)), soft_wrap=True)
    go = f"cd {shlex.quote(str(folder))} && tidegauge run {_ENGINE[language]} --budget smoke"
    OUT.print(f"\nNow: {inline(go)}", soft_wrap=True)


def files_of(name: str, components: list[str], language: Language) -> dict[str, str]:
    """The files of a project by their paths in it."""
    environment = Environment(
        loader=PackageLoader(__package__),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # what is written is no HTML, and `name` is checked
    )
    skeletons = {one: list(skeletons_of(COMPONENTS[one])) for one in components}
    told = {"name": name, "components": skeletons, "language": language, "engine": _ENGINE[language]}
    return {
        path: environment.get_template(template).render(told) for path, template in _FILES[language].items()
    }
