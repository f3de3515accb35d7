"""What would be uploaded: wheels and sdists of both distributions, complete, clean and installable by themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import PATIENCE, ROOT
from packed_folders import LIBRARY, OF_NO_PACKAGE, PACKAGES

pytestmark = pytest.mark.release


@dataclass(frozen=True)
class Distribution:
    """The two files of a distribution, and a wheel that is made of the sdist."""

    wheel: Path
    sdist: Path
    wheel_of_sdist: Path


def run(*command: object, folder: Path = ROOT) -> str:
    """Run a command that has to succeed; what it printed."""
    ended = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert ended.returncode == 0, f"{command}\n{ended.stdout}"
    return ended.stdout


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Distribution]:
    """Both distributions by the name in their files, built into `$TIDEGAUGE_DIST`."""
    into = Path(os.environ.get("TIDEGAUGE_DIST") or tmp_path_factory.mktemp("dist"))
    shutil.rmtree(into, ignore_errors=True)
    found = {}
    for name, folder in (("tidegauge", ROOT), ("tidegauge_spark", LIBRARY)):
        run(sys.executable, "-m", "build", "--wheel", "--sdist", "--outdir", into, folder)
        (wheel,), (sdist,) = into.glob(f"{name}-*.whl"), into.glob(f"{name}-*.tar.gz")
        unpacked = tmp_path_factory.mktemp(name)
        with tarfile.open(sdist) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2 has none
            archive.extractall(unpacked)
        (source,) = unpacked.iterdir()
        again = unpacked / "again"
        run(sys.executable, "-m", "build", "--wheel", "--outdir", again, source)
        (wheel_of_sdist,) = again.glob("*.whl")
        found[name] = Distribution(wheel, sdist, wheel_of_sdist)
    return found


@pytest.fixture(params=PACKAGES)
def distribution(request: pytest.FixtureRequest, distributions: dict[str, Distribution]) -> Distribution:
    """Each of the two."""
    return distributions[request.param]


def contents(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel."""
    with zipfile.ZipFile(wheel) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_descriptions_are_as_an_index_wants_them(distributions: dict[str, Distribution]) -> None:
    files = [file for made in distributions.values() for file in (made.wheel, made.sdist)]
    printed = run(sys.executable, "-m", "twine", "--no-color", "check", "--strict", *files)
    assert printed.count("PASSED") == len(files) == 4


@pytest.mark.parametrize("name", PACKAGES)
def test_the_contents_of_a_wheel_are_those_of_its_packages(
    distributions: dict[str, Distribution], name: str, tmp_path: Path
) -> None:
    packages = [tmp_path / Path(package).name for package in PACKAGES[name]]
    for package, copy in zip(PACKAGES[name], packages, strict=True):
        not_packed = OF_NO_PACKAGE if ROOT / package == LIBRARY else ()
        shutil.copytree(ROOT / package, copy, ignore=shutil.ignore_patterns("__pycache__", *not_packed))
    for source, place in documents_in_the_wheel() if name == "tidegauge" else ():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, tmp_path / place)
        else:
            shutil.copy(ROOT / source, tmp_path / place)
    top_levels = ",".join(package.name for package in packages)
    given = [option for package in packages for option in ("--package", package)]
    tool = (sys.executable, "-m", "check_wheel_contents", "--toplevel", top_levels, *given)
    assert run(*tool, distributions[name].wheel).strip().endswith(": OK")


def documents_in_the_wheel() -> Iterator[tuple[str, str]]:
    """What of the documents the wheel of the kit has, and where."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    yield from project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"].items()


def test_the_sdist_builds_the_wheel_of_the_tree(distribution: Distribution) -> None:
    assert contents(distribution.wheel_of_sdist) == contents(distribution.wheel)


def test_no_file_is_in_both_distributions(distributions: dict[str, Distribution]) -> None:
    kit, library = (contents(made.wheel).keys() for made in distributions.values())
    assert not kit & library
    with tarfile.open(distributions["tidegauge"].sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert "CHANGELOG.md" in names
    assert not [name for name in names if name.startswith(("adapters/tidegauge_spark", ".ci", ".github"))]


def test_the_citation_is_valid() -> None:
    assert "valid" in run("cffconvert", "--validate", "-i", ROOT / "CITATION.cff")


@pytest.fixture(params=["wheel", "sdist"])
def fresh(
    request: pytest.FixtureRequest, distributions: dict[str, Distribution], tmp_path: Path
) -> Iterator[tuple[Path, Path, Path]]:
    """A new environment's programs, and the files of the kit and of the library to be installed there."""
    run(sys.executable, "-m", "venv", tmp_path / "environment")
    files = [getattr(made, request.param) for made in distributions.values()]
    yield (tmp_path / "environment" / "bin", files[0], files[1])
    shutil.rmtree(tmp_path / "environment")  # PySpark alone is 850 MB


def test_what_is_uploaded_works_in_a_fresh_environment(
    fresh: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    programs, kit, library = fresh
    install = (programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*install, kit, folder=tmp_path)
    assert "VALVE-1 (MUST, valve)" in run(programs / "tidegauge", "explain", "VALVE-1", folder=tmp_path)
    smoke = ("--adapter", "reference", "--component", "valve", "--budget", "smoke", "--quiet")
    assert "Conforms" in run(programs / "tidegauge", "run", *smoke, folder=tmp_path)
    run(*install, library, folder=tmp_path)
    names = "import tidegauge_spark as t; print(all(getattr(t, name) for name in t.__all__))"
    assert run(programs / "python", "-W", "error", "-c", names, folder=tmp_path) == "True\n"
    run(programs / "python", "-m", "pip", "check", folder=tmp_path)
