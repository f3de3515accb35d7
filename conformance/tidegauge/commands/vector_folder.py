"""Folders of golden vectors: which one a command may write to, and how it is written."""

from collections.abc import Mapping
from pathlib import Path

from tidegauge_spec import RELEASED, SPEC_VERSION, vectors_folder

from ..wire.scenario import BadInput


def own_folder(folder: Path) -> Path:
    """A folder that the user named. Raises `BadInput` for that of a released version."""
    released = {Path(str(vectors_folder(version))).resolve() for version in RELEASED}
    if folder.resolve() in released:
        raise BadInput(f"{folder}: released vectors do not change; choose another folder")
    return folder


def folder_in_preparation() -> Path:
    """The folder of the version of the specification in preparation. Raises `BadInput` without one."""
    folder = Path(str(vectors_folder(SPEC_VERSION)))
    specification = folder.parents[2]
    if specification.name != "spec" or not (specification.parent / "pyproject.toml").is_file():
        raise BadInput(
            "the specification is installed, not a clone: name a folder of your own, promote --into FOLDER"
        )
    if SPEC_VERSION in RELEASED:
        raise BadInput(
            f"the vectors of {SPEC_VERSION} are released and do not change: begin the next version in "
            "spec/tidegauge_spec/versions.py, or name a folder of your own"
        )
    return folder


def replace_files(contents: Mapping[Path, bytes]) -> None:
    """Write all files, or none. Raises `BadInput`."""
    partial = {file: file.with_name(f"{file.name}.partial") for file in contents}
    try:
        try:
            for file, content in contents.items():
                file.parent.mkdir(parents=True, exist_ok=True)
                partial[file].write_bytes(content)
            for file, path in partial.items():
                path.replace(file)
        finally:
            for path in partial.values():
                path.unlink(missing_ok=True)
    except OSError as error:
        folder = next(iter(contents)).parent
        raise BadInput(f"folder {folder} cannot be written: {error.strerror}; choose another") from None
