"""`tidegauge promote`: a scenario that a run has found becomes a permanent vector."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.markup import escape

from tidegauge_spec import RELEASED, SPEC_VERSION, load_registry, vectors_folder

from ..vector_sources.promoted import promoted, same_content
from ..vectors import Vector, every_vector, read_vector_file, vector_schema
from ..wire.scenario import BadInput, component_of, read_scenario_file
from .console import OUT, complains


@complains
def promote(
    file: Annotated[Path, typer.Argument(help="Scenarios as JSON lines, a counterexample for example.")],
    id: Annotated[
        str | None, typer.Option(help="COMPONENT/NAME; default: made from what the scenario does.")
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="What the vector is about; default: the titles of the rules it shows.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="Where it comes from; default: the scenario that the run found.")
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(help="Folder for vectors of your own; default, in a clone: those of the specification."),
    ] = None,
) -> None:
    """Make a counterexample a permanent vector with a stable id, which later runs judge.

    Exit code 0: it is one now, or was already. 2: bad input; nothing is written.
    """
    given = read_scenario_file(file)
    if id is not None and len(given) > 1:
        raise BadInput(f"{file} holds {len(given)} scenarios, which cannot all be {id!r}: leave --id out")
    broken_rule = file.stem if file.stem in load_registry().rules else None
    folder = _own_folder(into) if into is not None else _folder_of_the_specification()
    known = [*_vectors_in(folder), *every_vector()]
    new: list[Vector] = []
    for scenario in given:
        earlier = same_content(scenario, [*known, *new])
        if earlier is not None:
            OUT.print(escape(f"{scenario.id} is a vector already: {earlier.id}"), soft_wrap=True)
            continue
        vector = promoted(scenario, broken_rule, id=id, title=title, source=source)
        if vector.id in {other.id for other in (*known, *new)}:
            raise BadInput(f"another vector is called {vector.id!r}; choose another --id")
        new.append(vector)
    _write(folder, new, with_schema=into is None)
    for vector in new:
        _say(vector, folder)
    if new:
        OUT.print(escape(_how_it_runs(into)), soft_wrap=True)


def _own_folder(into: Path) -> Path:
    released = {Path(str(vectors_folder(version))).resolve() for version in RELEASED}
    if into.resolve() in released:
        raise BadInput(f"{into}: released vectors do not change; choose another folder")
    return into


def _folder_of_the_specification() -> Path:
    """The folder of the vectors of the version in preparation."""
    folder = Path(str(vectors_folder(SPEC_VERSION)))
    specification = folder.parents[2]
    if specification.name != "spec" or not (specification.parent / "pyproject.toml").is_file():
        raise BadInput(
            "the specification is installed, not a clone: give --into FOLDER for vectors of your own"
        )
    if SPEC_VERSION in RELEASED:
        raise BadInput(
            f"the vectors of {SPEC_VERSION} are released and do not change: begin the next version in "
            "spec/tidegauge_spec/versions.py, or give --into FOLDER"
        )
    return folder


def _vectors_in(folder: Path) -> list[Vector]:
    return [vector for file in sorted(folder.glob("*.jsonl")) for vector in read_vector_file(file)]


def _write(folder: Path, new: Sequence[Vector], with_schema: bool) -> None:
    """Add vectors to the files of their components, `<component>.jsonl`; all are written, or none."""
    added: dict[str, bytes] = {}
    for vector in new:
        name = f"{component_of(vector.scenario)}.jsonl"
        added[name] = added.get(name, b"") + msgspec.json.encode(vector) + b"\n"
    try:
        contents = {name: _whole_lines(folder / name) + lines for name, lines in added.items()}
        if contents and with_schema:
            contents["schema.json"] = vector_schema()
        _replace_files(folder, contents)
    except OSError as error:
        raise BadInput(f"folder {folder} cannot be written: {error.strerror}; choose another") from None


def _whole_lines(file: Path) -> bytes:
    content = file.read_bytes() if file.exists() else b""
    return content if not content or content.endswith(b"\n") else content + b"\n"


def _replace_files(folder: Path, contents: Mapping[str, bytes]) -> None:
    if contents:
        folder.mkdir(parents=True, exist_ok=True)
    partial = {name: folder / f"{name}.partial" for name in contents}
    try:
        for name, content in contents.items():
            partial[name].write_bytes(content)
        for name, path in partial.items():
            path.replace(folder / name)
    finally:
        for path in partial.values():
            path.unlink(missing_ok=True)


def _say(vector: Vector, folder: Path) -> None:
    policies = ", ".join(vector.expected[0].policies)
    where = f"for each value of {policies}" if policies else "whatever the policies"
    file = folder / f"{component_of(vector.scenario)}.jsonl"
    shown = f"{vector.id}: shows {', '.join(vector.rules)}, with the right outputs {where}; added to {file}"
    OUT.print(escape(shown), soft_wrap=True)


def _how_it_runs(into: Path | None) -> str:
    if into is not None:
        return f"tidegauge run --adapter NAME --vectors {shlex.quote(str(into))} runs it"
    return "Every run judges it from now on"
