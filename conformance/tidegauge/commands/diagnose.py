"""`tidegauge diagnose`: what the engine of a run behaves as, without running it again."""

import os
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from msgspec.structs import replace

from ..run.assembly import assemble
from ..run.journal import FILE_NAME, AnyEvent, JournalReader, Started
from ..run.trial_answers import answers_in
from ..wire.results import FILE_NAME as RESULTS
from ..wire.results import Results, read_results
from ..wire.scenario import BadInput
from ..words.diagnosis import DIAGNOSIS, diagnosis_words
from .console import OUT, complains
from .summary import print_models
from .terminal_text import line


@complains
def diagnose(
    source: Annotated[Path, typer.Argument(help=f"Folder that a run left, or a {RESULTS}.")] = Path(
        "tidegauge-results"
    ),
    diagnose_steps: Annotated[
        int | None,
        typer.Option(min=0, help="Search again with at most this many steps; needs the folder of the run."),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print JSON: the diagnosis sentence, and the `components` of the results."
        ),
    ] = False,
) -> None:
    """Say what the engine of a run behaves as: which policies, known bugs and mutants together do the same.

    Exit code 0: that explains all failing scenarios, or there are none.
    1: some remain unexplained.
    2: bad input.
    """
    results = _diagnosed(source, diagnose_steps)
    sentence = diagnosis_words(results) or "Nothing differs from the specification."
    if as_json:
        typer.echo(msgspec.json.encode({"diagnosis": sentence, "components": results.components}).decode())
    else:
        print_models(results)
        OUT.print(f"[bold]{DIAGNOSIS}:[/] {line(sentence, 1_000)}", soft_wrap=True)
    raise typer.Exit(int(any(found.explained < found.examined for found in results.components)))


def _diagnosed(source: Path, steps: int | None) -> Results:
    if steps is None:
        return read_results(source if source.suffix == ".json" else source / RESULTS)
    if not source.is_dir():
        raise BadInput(f"{source} is no folder; --diagnose-steps needs the --out folder of a run")
    events = JournalReader(source).new_events()
    if not any(isinstance(event, Started) for event in events):
        raise BadInput(f"{source / FILE_NAME} holds no run; give the --out folder of one")
    searching = [_searching(event, steps) for event in events]
    try:
        return assemble(searching, source, [], 0.0, processes=os.cpu_count() or 1, ask=answers_in(events))
    except BadInput as problem:
        raise BadInput(f"{source / FILE_NAME}: {problem}") from None


def _searching(event: AnyEvent, steps: int) -> AnyEvent:
    """Return the event. The start of the run gets this limit of steps for the search."""
    if not isinstance(event, Started):
        return event
    return replace(event, request=replace(event.request, diagnose_steps=steps))
