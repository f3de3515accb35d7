"""The driver, a Rust program that translates between the process protocol and timely dataflow.

`python -m tidegauge_adapters.timely.driver` builds the driver with cargo, once for each version of the
sources.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..driver_jar import digest_of

SOURCES = Path(__file__).parent / "rust"

_CARGO = "needs cargo (Rust 1.91 or newer, https://rustup.rs) and downloads timely with dependencies (4 MB)"


@dataclass(frozen=True)
class RustDriver:
    """A driver that is built from its sources into a folder.

    Attributes:
        sources: the folder with `Cargo.toml`, `Cargo.lock` and `src`.
        folder: the folder of the built programs, one for each version of the sources.
    """

    sources: Path
    folder: Path

    @property
    def path(self) -> Path:
        """The path of the program. Its name contains the digest of the sources."""
        return self.folder / f"driver-{self.digest_of_sources()[:12]}"

    def digest_of_sources(self) -> str:
        """Return the SHA-256 digest of the names and contents of all sources."""
        manifests = (self.sources / "Cargo.toml", self.sources / "Cargo.lock")
        sources = (*manifests, *(self.sources / "src").rglob("*.rs"))
        return digest_of({source.relative_to(self.sources).as_posix(): source for source in sources})

    def locate(self) -> Path:
        """Return the absolute path of the program.

        Raises:
            ValueError: if the program is not built; the message is one line and names the build command.
        """
        if not self.path.is_file():
            raise ValueError(
                f"the driver of timely dataflow is not built in {str(self.folder)!r}: "
                f"python -m tidegauge_adapters.timely.driver builds it, {_CARGO}"
            )
        return self.path.absolute()

    def build(self) -> Path:
        """Build the program unless it exists, and return its path.

        Cargo caches compiled crates in the folder `target` beside the programs.

        Raises:
            ValueError: if cargo is missing or fails; the message is one line.
        """
        if self.path.is_file():
            return self.path
        manifest, target = self.sources / "Cargo.toml", self.folder / "target"
        command = ["cargo", "build", "--release", "--locked", "--quiet", "--manifest-path", str(manifest)]
        try:
            subprocess.run(
                [*command, "--target-dir", str(target)], check=True, capture_output=True, text=True
            )
        except FileNotFoundError:
            raise ValueError(f"cargo is not in the PATH: the driver of timely dataflow {_CARGO}") from None
        except subprocess.CalledProcessError as error:
            printed = [line for line in error.stderr.splitlines() if line.strip()]
            errors = [line for line in printed if line.startswith("error")]
            reason = (errors or printed or ["no message"])[0].strip()
            raise ValueError(f"cargo cannot build the driver of timely dataflow: {reason}") from None
        # Another process may start the program at this moment: the program must appear atomically.
        with tempfile.TemporaryDirectory(dir=self.folder) as unfinished:
            copy = shutil.copy(target / "release" / "tidegauge-timely", unfinished)
            os.replace(copy, self.path)
        return self.path


def timely_driver() -> RustDriver:
    """Return the driver in the folder that `TIDEGAUGE_TIMELY_DRIVER` names, otherwise in the user's cache."""
    named = os.environ.get("TIDEGAUGE_TIMELY_DRIVER")
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return RustDriver(SOURCES, Path(named) if named else Path(cache) / "tidegauge" / "timely")


if __name__ == "__main__":
    try:
        print(timely_driver().build())
    except ValueError as error:
        sys.exit(str(error))
