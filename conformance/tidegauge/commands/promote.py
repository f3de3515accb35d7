"""`tidegauge promote`: a scenario, found by a run or written by hand, becomes a golden vector."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tidegauge_spec import load_registry

from ..run.promotion import promoted, same_content
from ..vectors.layout import vectors_laid_out
from ..vectors.published import Vector, every_vector, read_vector_file, vector_files
from ..wire.scenario import BadInput, component_of, read_scenario_file
from .console import OUT, complains
from .folder_lock import locked
from .terminal_text import inline
from .vector_folder import folder_in_preparation, own_folder, replace_files


@complains
def promote(
    file: Annotated[Path, typer.Argument(help="Scenarios as JSON lines, a counterexample for example.")],
    id: Annotated[
        str | None, typer.Option(help="COMPONENT/NAME; default: made from what the scenario does.")
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(help="What happens in the vector; default: the titles of the rules it shows."),
    ] = None,
    reason: Annotated[
        str | None, typer.Option(help="Why engines must get it right; default: what the rules are there for.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="Where it comes from; default: the scenario that the run found.")
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            help="A rule it shows; default: the one the file is named after, else those that decide."
        ),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(help="Folder for vectors of your own; default, in a clone: those of the specification."),
    ] = None,
) -> None:
    """Make a scenario a golden vector with a stable id, which later runs judge.

    The expected outputs come from the reference: compare them with what the sources say.
    Exit code 0: it is a vector now, or was already.
    2: bad input; nothing is written.
    """
    given = read_scenario_file(file)
    if id is not None and len(given) > 1:
        raise BadInput(f"{file} holds {len(given)} scenarios, which cannot all be {id!r}: leave --id out")
    broken_rule = file.stem if file.stem in load_registry().rules else None
    folder = own_folder(into) if into is not None else folder_in_preparation()
    new: list[Vector] = []
    with locked(folder):
        there = [vector for document in vector_files(folder) for vector in read_vector_file(document)]
        known = [*there, *every_vector()]
        for scenario in given:
            earlier = same_content(scenario, [*known, *new])
            if earlier is not None:
                OUT.print(inline(f"{scenario.id} is a vector already: {earlier.id}"), soft_wrap=True)
                continue
            vector = promoted(
                scenario, broken_rule, id=id, title=title, reason=reason, source=source, rules=rule or ()
            )
            if vector.id in {other.id for other in (*known, *new)}:
                raise BadInput(f"another vector is called {vector.id!r}; choose another --id")
            new.append(vector)
        _add(folder, new)
    for vector in new:
        _say(vector, folder)
    if new:
        OUT.print(inline(_how_it_runs(into)), soft_wrap=True)


def _add(folder: Path, new: Sequence[Vector]) -> None:
    """Add vectors to the documents of their components, after those that are there."""
    added: dict[Path, list[Vector]] = {}
    for vector in new:
        added.setdefault(_document(folder, vector), []).append(vector)
    replace_files(
        {
            document: vectors_laid_out([*(read_vector_file(document) if document.exists() else ()), *vectors])
            for document, vectors in added.items()
        }
    )


def _document(folder: Path, vector: Vector) -> Path:
    return folder / f"{component_of(vector.scenario)}.json"


def _say(vector: Vector, folder: Path) -> None:
    policies = ", ".join(vector.expected[0].policies)
    where = f"for each value of {policies}" if policies else "whatever the policies"
    shown = (
        f"{vector.id}: shows {', '.join(vector.rules)}, with the expected outputs {where}; "
        f"added to {_document(folder, vector)}"
    )
    OUT.print(inline(shown), soft_wrap=True)


def _how_it_runs(into: Path | None) -> str:
    if into is not None:
        return f"tidegauge run --adapter NAME --vectors {shlex.quote(str(into))} runs it"
    return "Every run judges it from now on"
