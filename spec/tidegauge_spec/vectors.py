"""The golden vectors: scenarios with their expected outputs, one JSON document a component.

Each version of the specification has a folder with the vectors that it added; a released one does not change.
`vectors/schema.json` describes the documents of all versions.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable

from .versions import FIRST_VERSION, in_order, is_version

_FOLDER = files("tidegauge_spec") / "vectors"


def vectors_folder(version: str) -> Traversable:
    """The folder of the vectors that a version added, whether or not it is there."""
    return _FOLDER / version


def vector_versions() -> tuple[str, ...]:
    """The versions that added vectors, the oldest first."""
    return in_order(entry.name for entry in _FOLDER.iterdir() if entry.is_dir() and is_version(entry.name))


def vectors_path(component: str, version: str = FIRST_VERSION) -> Traversable:
    """The document of a component's vectors that a version added."""
    return vectors_folder(version) / f"{component}.json"


def vectors_document(component: str, version: str = FIRST_VERSION) -> bytes:
    """The document, undecoded: a JSON array, empty if the version added no vectors of the component."""
    path = vectors_path(component, version)
    return path.read_bytes() if path.is_file() else b"[]"


def vector_schema_path() -> Traversable:
    """The JSON Schema of the documents."""
    return _FOLDER / "schema.json"
