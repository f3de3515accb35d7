"""Write the published vectors: `python -m tidegauge.vector_sources.writer FLINK_FACTS FOLDER`.

FLINK_FACTS is `tests/data/flink/scenarios.jsonl`, FOLDER `spec/tidegauge_spec/vectors/1.0`, as long as 1.0 is
not released. Vectors in FOLDER that are not made here were found by runs (`tidegauge promote`): they stay,
after the others.
"""

import sys
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from ..vectors import Vector, vector_schema
from . import (
    backlog,
    clock,
    coordinator,
    generator,
    idleness,
    low_watermark,
    source,
    splits,
    valve_essay,
    valve_known_bugs,
    window,
)
from .flink_tests import flink_vectors

WRITTEN: dict[str, tuple[Vector, ...]] = {
    "clock": clock.VECTORS,
    "generator": generator.VECTORS,
    "idleness": idleness.VECTORS,
    "splits": splits.VECTORS,
    "source": source.VECTORS,
    "coordinator": coordinator.VECTORS,
    "low_watermark": low_watermark.VECTORS,
    "backlog": backlog.VECTORS,
    "window": window.VECTORS,
}
"""The vectors written by hand, by component."""


def vector_files(flink_facts: Path, folder: Path) -> dict[str, bytes]:
    """The files of the vectors folder by name: the vectors of each component, and their JSON Schema."""
    facts = flink_facts.read_text(encoding="utf-8").splitlines()
    vectors = {
        "valve": [*valve_essay.VECTORS, *valve_known_bugs.VECTORS, *flink_vectors(facts)],
        **{component: list(written) for component, written in WRITTEN.items()},
    }
    return {
        **{
            f"{component}.jsonl": b"".join(msgspec.json.encode(vector) + b"\n" for vector in written)
            + b"".join(_found_by_runs(folder / f"{component}.jsonl", {vector.id for vector in written}))
            for component, written in vectors.items()
        },
        "schema.json": vector_schema(),
    }


def _found_by_runs(file: Path, made_here: Collection[str]) -> Iterator[bytes]:
    """The lines of a file that hold other vectors than those made here."""
    for line in file.read_bytes().splitlines(keepends=True) if file.is_file() else []:
        if msgspec.json.decode(line, type=Vector).id not in made_here:
            yield line


def main(flink_facts: str, folder: str) -> None:
    """Write the files."""
    for name, content in vector_files(Path(flink_facts), Path(folder)).items():
        (Path(folder) / name).write_bytes(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
