"""What the playground needs of others: Pyodide from npm, and msgspec for Pyodide from PyPI. Both are fetched
into a folder in the user's cache, and checked, by `python -m tidegauge_reports.playground.parts`."""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tidegauge.wire.scenario import BadInput

HOW_TO_FETCH = "python -m tidegauge_reports.playground.parts"


@dataclass(frozen=True)
class Part:
    """A file as its registry has it, with its digest (sha256)."""

    file: str
    digest: str


PYODIDE = Part("pyodide-314.0.7.tgz", "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0")
MSGSPEC = Part(
    "msgspec-0.22.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl",
    "a66b1766311e42371e509c996c3933b161c7ae0eabdf361af5316dec197e1022",
)
PYODIDE_FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
"""The files of Pyodide that a browser asks for."""


def parts_folder() -> Path:
    """Where the parts lie: `TIDEGAUGE_PLAYGROUND_PARTS`, else a folder in the user's cache."""
    named = os.environ.get("TIDEGAUGE_PLAYGROUND_PARTS")
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(named) if named else Path(cache) / "tidegauge" / "playground"


def missing_parts(folder: Path) -> list[Part]:
    """The parts that are not there, or not as they must be."""
    return [part for part in (PYODIDE, MSGSPEC) if not _is_there(folder / part.file, part)]


def fetch_parts(folder: Path) -> None:
    """Fetch the parts that are missing. Raises `BadInput` naming what cannot be had."""
    missing = missing_parts(folder)
    if not missing:
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as fetched:
        for part in missing:
            _fetch(part, Path(fetched))
            if not _is_there(Path(fetched) / part.file, part):
                raise BadInput(f"{part.file} has another sha256 than {part.digest}; it is not kept")
            shutil.move(Path(fetched) / part.file, folder / part.file)


def unpack_pyodide(parts: Path, into: Path) -> list[Path]:
    """The files of Pyodide that a browser asks for, in the folder `into`."""
    with tarfile.open(parts / PYODIDE.file) as archive:
        written = []
        for name in PYODIDE_FILES:
            found = archive.extractfile(f"package/{name}")
            assert found is not None, name
            written.append(into / name)
            written[-1].write_bytes(found.read())
        return written


def _is_there(file: Path, part: Part) -> bool:
    return file.is_file() and sha256(file.read_bytes()).hexdigest() == part.digest


def _fetch(part: Part, folder: Path) -> None:
    if part is PYODIDE:
        version = part.file.removeprefix("pyodide-").removesuffix(".tgz")
        _run(["npm", "pack", f"pyodide@{version}", "--silent"], folder, part)
        return
    name, version, python, abi, platform = part.file.removesuffix(".whl").split("-")
    _run(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
            *("--no-deps", "--only-binary=:all:", "--implementation=cp"),
            *(f"--platform={platform}", f"--python-version={python.removeprefix('cp')}", f"--abi={abi}"),
            f"{name}=={version}",
        ],
        folder,
        part,
    )


def _run(command: Sequence[str], folder: Path, part: Part) -> None:
    # A part has a fixed version, so a constraint of the environment does not apply. pip ignores an empty one.
    environment = {**os.environ, "PIP_CONSTRAINT": ""}
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, env=environment)
    except FileNotFoundError:
        raise BadInput(f"{part.file} is fetched with {command[0]}, which is not installed") from None
    except subprocess.CalledProcessError as error:
        said = (error.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise BadInput(f"{part.file} cannot be fetched with {command[0]}: {said}") from None


if __name__ == "__main__":
    try:
        fetch_parts(parts_folder())
    except BadInput as error:
        sys.exit(str(error))
