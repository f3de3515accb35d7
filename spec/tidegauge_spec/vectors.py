"""The published vectors: scenarios with their expected transcripts, one JSON object a line."""

from importlib.resources import files
from importlib.resources.abc import Traversable

from .registry import SPEC_VERSION


def vectors_path(component: str) -> Traversable:
    """The file of a component's vectors for this version of the specification."""
    return files("tidegauge_spec") / "vectors" / SPEC_VERSION / f"{component}.jsonl"


def vector_lines(component: str) -> list[bytes]:
    """The lines of the file, undecoded; none if the component has no vectors yet."""
    path = vectors_path(component)
    return path.read_bytes().splitlines() if path.is_file() else []
