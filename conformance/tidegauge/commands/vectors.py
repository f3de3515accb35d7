"""`tidegauge vectors`: checks golden vectors, and completes them after an edit by hand."""

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from tidegauge_spec import vector_schema_path

from ..run.promotion import computed
from ..vectors.layout import vector_schema, vectors_laid_out
from ..vectors.published import Vector, decode_vectors, no_vectors_in, vector_files, vector_problems
from ..wire.scenario import BadInput
from .console import OUT, complains
from .folder_lock import locked
from .terminal_text import inline
from .vector_folder import folder_in_preparation, own_folder, replace_files


@complains
def vectors(
    folder: Annotated[
        Path | None,
        typer.Argument(help="Folder of vectors; default, in a clone: those of the specification."),
    ] = None,
    rewrite: Annotated[
        bool, typer.Option("--rewrite", help="Compute the expected outputs, and lay the documents out.")
    ] = False,
) -> None:
    """Check golden vectors: their layout, and that the expected outputs are the reference's.

    With --rewrite a vector that was edited is made complete: its scenario's id and origin, its expected
    outputs (which may be left empty) and the layout.
    Exit code 0: every vector is up to date, or is now.
    1: a vector is out of date.
    2: bad input; nothing is written.
    """
    chosen = own_folder(folder) if folder is not None else folder_in_preparation()
    with locked(chosen) if rewrite else nullcontext():
        _check(chosen, rewrite, is_own=folder is not None)


def _check(folder: Path, rewrite: bool, is_own: bool) -> None:
    """Compare the documents in the folder with what they must be, and write those that differ if asked to."""
    wanted: dict[Path, bytes] = {}
    ids: set[str] = set()
    wrong: list[str] = []
    for document in vector_files(folder):
        given = decode_vectors(document)
        complete = [_complete(vector, document) for vector in given]
        wanted[document] = vectors_laid_out(complete)
        for vector, right in zip(given, complete, strict=True):
            if vector.id in ids:
                raise BadInput(f"{document}: another vector is called {vector.id!r} already")
            ids.add(vector.id)
            if vector.expected != right.expected:
                wrong.append(vector.id)
    if is_own and not ids:
        raise no_vectors_in(folder)
    verb = "are now those" if rewrite else "are not those"
    for id in wrong:
        OUT.print(inline(f"{id}: the expected outputs {verb} of the reference"), soft_wrap=True)
    if not is_own:
        wanted[Path(str(vector_schema_path()))] = vector_schema()
    _settle(wanted, rewrite)


def _complete(vector: Vector, document: Path) -> Vector:
    """The vector as it must be. Raises `BadInput`."""
    try:
        complete = computed(vector)
    except BadInput as refused:
        raise BadInput(f"{document}, vector {vector.id!r}: {refused}") from None
    for problem in vector_problems(complete):
        raise BadInput(f"{document}, vector {vector.id!r}: {problem}")
    return complete


def _settle(wanted: Mapping[Path, bytes], rewrite: bool) -> None:
    """Write the files that are not as wanted, or say which they are and end with exit code 1."""
    stale = {
        file: content for file, content in wanted.items() if not file.exists() or file.read_bytes() != content
    }
    if rewrite and stale:
        replace_files(stale)
    for file in stale:
        OUT.print(inline(f"{file}: {'written' if rewrite else 'not as it must be'}"), soft_wrap=True)
    if stale and not rewrite:
        OUT.print("tidegauge vectors --rewrite writes them")
        raise typer.Exit(1)
    if not stale:
        OUT.print("The vectors are as they must be")
