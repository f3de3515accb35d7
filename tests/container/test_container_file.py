"""The image of the container file, built by Buildah on Debian packages, and commands in the image."""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from conftest import ROOT

pytestmark = pytest.mark.container

FILE = ROOT / "conformance" / "ci" / "Containerfile"
FETCH = "Buildah or debootstrap is missing: run .ci/buildah as root, then `tox -e container`"
RELEASE = "bookworm"
SECONDS = 1_800


def buildah(*arguments: str, storage: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run Buildah without a daemon, with storage in a folder of the test."""
    places = ("--root", str(storage / "root"), "--runroot", str(storage / "run"), "--storage-driver", "vfs")
    ended = subprocess.run(
        ["buildah", *places, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
        env={**os.environ, "BUILDAH_ISOLATION": "chroot"},
    )
    assert not check or ended.returncode == 0, ended.stderr[-2_000:]
    return ended


def certificates(folder: Path) -> Sequence[str]:
    """Return mounts with this machine's certificates if pip is configured with its own, as behind a proxy."""
    certificate = os.environ.get("PIP_CERT", "")
    if not certificate:
        return ()
    settings = folder / "pip.conf"
    settings.write_text("[global]\ncert = /etc/pip-certificates.pem\n", encoding="utf-8")
    return (f"--volume={certificate}:/etc/pip-certificates.pem:ro", f"--volume={settings}:/etc/pip.conf:ro")


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder of images, which holds a base of Debian's packages."""
    if shutil.which("buildah") is None or shutil.which("debootstrap") is None:
        pytest.fail(FETCH)
    folder = tmp_path_factory.mktemp("container")
    base = folder / "base"
    try:
        debian(base)
        container = buildah("from", "scratch", storage=folder).stdout.strip()
        buildah("add", "--quiet", container, str(base), "/", storage=folder)
        buildah("commit", "--quiet", "--rm", container, "localhost/base", storage=folder)
        yield folder
    finally:
        buildah("rm", "--all", storage=folder, check=False)
        buildah("rmi", "--all", "--force", storage=folder, check=False)
        subprocess.run(["umount", "--lazy", str(base / "proc")], check=False, capture_output=True)
        shutil.rmtree(base, ignore_errors=True)


def debian(folder: Path) -> None:
    """Install Debian's smallest system into a folder."""
    command = [
        "debootstrap",
        "--variant=minbase",
        "--include=ca-certificates",
        RELEASE,
        str(folder),
        mirror(),
    ]
    # SIGTERM, on which debootstrap unmounts what it has mounted in the folder
    limited = ["timeout", "--signal=TERM", "--kill-after=60", str(SECONDS), *command]
    built = subprocess.run(limited, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout[-2_000:]


def mirror() -> str:
    """Return the address from which this machine installs Debian's packages."""
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages", f"Codename: {RELEASE}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return listed.stdout.split()[0]


@pytest.fixture(scope="module")
def image(storage: Path) -> str:
    """The image of the container file."""
    options = (
        "--pull=never",
        "--network=host",
        *certificates(storage),
        "--build-arg=BASE=localhost/base",
        "--build-arg=EXTRAS=flink,logs,spark",
        f"--file={FILE}",
        "--tag=localhost/tidegauge",
    )
    buildah("build", *options, str(ROOT), storage=storage)
    return "localhost/tidegauge"


@pytest.fixture
def container(storage: Path, image: str) -> Iterator[str]:
    """Yield the name of a container of the image."""
    name = f"tidegauge-{uuid.uuid4().hex[:8]}"
    buildah("from", "--pull=never", f"--name={name}", image, storage=storage)
    yield name
    buildah("rm", name, storage=storage)


def tidegauge(container: str, storage: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command of the image in a container."""
    return buildah("run", container, "--", "tidegauge", *arguments, storage=storage, check=False)


def test_the_verdict_of_the_readme(storage: Path, container: str) -> None:
    engine = ("--adapter", "mutant:valve-guarded-flush", "--component", "valve", "--budget", "smoke")
    ended = tidegauge(container, storage, "run", *engine)
    assert ended.returncode == 1, ended.stderr
    assert "FAILED: 1 of 23 rules" in ended.stdout
    assert "VALVE-15 (MUST) The largest watermark is flushed when all channels are idle" in ended.stdout


@pytest.mark.parametrize("engine", ["spark", "flink"])
def test_engines_in_a_jvm_run_in_the_image(storage: Path, container: str, engine: str) -> None:
    options = ("--adapter", engine, "--component", "clock", "--budget", "smoke")
    ended = tidegauge(container, storage, "run", *options)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "Conforms" in ended.stdout


def test_the_image_holds_no_clone(storage: Path, container: str) -> None:
    found = buildah("run", container, "--", "ls", "/", storage=storage).stdout.split()
    assert "tidegauge" not in found
    assert "work" in found
