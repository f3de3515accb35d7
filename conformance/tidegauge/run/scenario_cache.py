"""A cache on disk of drawn scenarios with their expected outputs, for later runs.

The name of a file is a digest of everything that determines its content, so that no file is ever out of date.
A file in any other form than this module writes is ignored, and its scenarios are drawn again.
"""

import hashlib
import os
import stat
import tempfile
import zlib
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import msgspec
from msgspec import Struct

from tidegauge_reference import Policies

from ..judging.reference.oracle import Expectation
from ..wire.scenario import Scenario
from ..wire.shapes import AnyShape
from ..wire.transcript import Outputs
from .source_digest import does_as_its_source, source_digest

NO_CACHE = "TIDEGAUGE_NO_CACHE"
"""The environment variable that disables reading and writing the cache."""

MOST_BYTES = 500 * 1024 * 1024
"""The maximum size of all files together. The least recently used files are deleted."""

_ENDING = ".scenarios"
_DIGEST_BYTES = 32

_COMPRESSION = 1
"""The fastest level. It makes the files eight times smaller, in a hundredth of the time of the drawing."""


class Drawn(Struct, frozen=True, gc=False):
    """Scenarios, and the expectation of each."""

    scenarios: tuple[Scenario, ...]
    expectations: tuple[Expectation, ...]


class Key(Struct, frozen=True, kw_only=True):
    """What the scenarios of a file depend on besides the source. A field is None if it does not affect the
    scenarios."""

    component: str
    suite: str
    name: str
    start: int
    stop: int
    shape: AnyShape | None
    policies: dict[str, str]
    seed: int | None
    budget: str | None


class _File(Struct, array_like=True):
    """The content of a file.

    Few decisions differ, so that `decisions` has each only once. `cited` has a list for each scenario: the
    index into `decisions` of each step.
    """

    scenarios: tuple[Scenario, ...]
    outputs: list[list[Outputs]]
    decisions: list[tuple[str, ...]]
    cited: list[list[int]]


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(_File)
_KEY_ENCODER = msgspec.json.Encoder(order="sorted")


def policies_of_key(policies: Policies) -> dict[str, str]:
    """Return the policies in the form that a key has."""
    return {name: str(value) for name, value in asdict(policies).items()}


def scenario_cache() -> "ScenarioCache | None":
    """Return the cache of the user; None if it is disabled or cannot be used."""
    if os.environ.get(NO_CACHE):
        return None
    sources = source_digest()
    if sources is None or not does_as_its_source():
        return None
    named = os.environ.get("XDG_CACHE_HOME", "")
    with suppress(OSError, RuntimeError):  # the latter if the user has no home
        home = Path(named) if os.path.isabs(named) else Path("~/.cache").expanduser()
        folder = home / "tidegauge"
        home.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        own = found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077
        if stat.S_ISDIR(found.st_mode) and own:
            return ScenarioCache(folder, sources)
    return None


class ScenarioCache:
    """The files of a folder for the source with the digest `sources`."""

    def __init__(self, folder: Path, sources: str) -> None:
        self._folder = folder
        self._sources = sources

    def read(self, key: Key) -> Drawn | None:
        """Return the scenarios under a key; None if there is no file, or if the file is damaged or owned by
        another user."""
        name = self._name(key)
        content = _own_content(self._folder / name)
        if content is None or content[:_DIGEST_BYTES] != _checked(name, content[_DIGEST_BYTES:]):
            return None
        try:
            file = _DECODER.decode(zlib.decompress(content[_DIGEST_BYTES:]))
            expectations = tuple(
                Expectation(outputs, [file.decisions[place] for place in cited])
                for outputs, cited in zip(file.outputs, file.cited, strict=True)
            )
        except (zlib.error, ValueError, IndexError, RecursionError):  # errors of msgspec are ValueErrors
            return None
        return Drawn(file.scenarios, expectations) if len(file.scenarios) == len(expectations) else None

    def write(self, key: Key, drawn: Drawn) -> None:
        """Write scenarios under a key, unless an engine has changed the reference since the start. Scenarios
        that cannot be written are drawn again the next time."""
        if not does_as_its_source():
            return
        places: dict[tuple[str, ...], int] = {}
        cited = [
            [places.setdefault(step, len(places)) for step in expectation.cited]
            for expectation in drawn.expectations
        ]
        outputs = [expectation.outputs for expectation in drawn.expectations]
        file = _ENCODER.encode(_File(drawn.scenarios, outputs, list(places), cited))
        content = zlib.compress(file, _COMPRESSION)
        name = self._name(key)
        with suppress(OSError):
            self._replace(name, _checked(name, content) + content)
            self._delete_the_oldest()

    def _name(self, key: Key) -> str:
        digest = hashlib.sha256(self._sources.encode() + _KEY_ENCODER.encode(key))
        return digest.hexdigest() + _ENDING

    def _replace(self, name: str, content: bytes) -> None:
        number, partial = tempfile.mkstemp(dir=self._folder, suffix=_ENDING)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(content)
            os.replace(partial, self._folder / name)
        except BaseException:
            os.unlink(partial)
            raise

    def _delete_the_oldest(self) -> None:
        with os.scandir(self._folder) as entries:
            own = [entry for entry in entries if entry.name.endswith(_ENDING)]
        found = sorted(((one.stat(follow_symlinks=False), one.path) for one in own), key=_last_used)
        size = sum(status.st_size for status, _ in found)
        for status, path in found:
            if size <= MOST_BYTES:
                break
            os.unlink(path)
            size -= status.st_size


def _last_used(file: tuple[os.stat_result, str]) -> int:
    return file[0].st_mtime_ns


def _checked(name: str, content: bytes) -> bytes:
    """Return the digest that a file begins with. A file that is damaged or renamed does not match its
    digest."""
    return hashlib.sha256(name.encode() + content).digest()


def _own_content(path: Path) -> bytes | None:
    """Return the content of a regular file of this user, and record that the file was used now."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(number, "rb") as file:
            status = os.fstat(number)
            foreign = status.st_uid != os.geteuid() or status.st_mode & 0o022
            if foreign or not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
                return None
            os.utime(number)
            return file.read()
    except OSError:
        return None
