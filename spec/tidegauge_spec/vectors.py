"""The published vectors: scenarios with their expected transcripts, one JSON object a line.

Each version of the specification has a folder with the vectors that it added; a released one does not change.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable

from .versions import FIRST_VERSION, in_order, is_version


def vectors_folder(version: str) -> Traversable:
    """The folder of the vectors that a version added, whether or not it is there."""
    return files("tidegauge_spec") / "vectors" / version


def vector_versions() -> tuple[str, ...]:
    """The versions that added vectors, the oldest first."""
    folder = files("tidegauge_spec") / "vectors"
    return in_order(entry.name for entry in folder.iterdir() if entry.is_dir() and is_version(entry.name))


def vectors_path(component: str, version: str = FIRST_VERSION) -> Traversable:
    """The file of a component's vectors that a version added."""
    return vectors_folder(version) / f"{component}.jsonl"


def vector_lines(component: str, version: str = FIRST_VERSION) -> list[bytes]:
    """The lines of the file, undecoded; none if the version added no vectors of the component."""
    path = vectors_path(component, version)
    return path.read_bytes().splitlines() if path.is_file() else []
