"""A folder of a place to which files are written: each is there as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidegauge_spark.places.place import is_local, opened_place, place_of, reason_of
from tidegauge_spark.places.s3 import FROM_ENVIRONMENT, S3Settings


@dataclass(frozen=True)
class WritableFolder:
    """A folder, which the first file makes.

    Attributes:
        place: a place as `place_of` returns it.
        s3: how to reach S3.
    """

    place: str
    s3: S3Settings = FROM_ENVIRONMENT

    @classmethod
    def of(cls, folder: str | Path, s3: S3Settings = FROM_ENVIRONMENT) -> WritableFolder:
        """Return a folder by its path or URI. Raises `IllegalPlaceError`."""
        return cls(place_of(str(folder)), s3)

    def sub_folder(self, *names: str) -> WritableFolder:
        """Return a folder in this folder."""
        return WritableFolder("/".join((self.place.rstrip("/"), *names)), self.s3)

    def names(self) -> list[str]:
        """Return the names of the files and folders in the folder, in order; none if it does not exist.
        Raises `OSError`."""
        from pyarrow import fs as filesystems  # a query without an event log does not need it

        with self._explained():
            filesystem, root = opened_place(self.place, self.s3)
            infos = filesystem.get_file_info(filesystems.FileSelector(root, allow_not_found=True))
            return sorted(info.base_name for info in infos)

    def read(self, name: str) -> bytes:
        """Return the content of a file. Raises `OSError`."""
        with self._explained():
            filesystem, root = opened_place(self.place, self.s3)
            with filesystem.open_input_stream(f"{root}/{name}") as file:
                content: bytes = file.read()
                return content

    def write(self, name: str, content: Any) -> None:
        """Write a file, which replaces one of the same name at once. content: bytes or a buffer of Arrow.

        Raises `OSError`.
        """
        if is_local(self.place):
            self._write_local(name, content)
            return
        with self._explained():
            filesystem, root = opened_place(self.place, self.s3)
            with filesystem.open_output_stream(f"{root}/{name}") as file:
                file.write(content)

    def _write_local(self, name: str, content: Any) -> None:
        folder = Path(self.place)
        unfinished = folder / f"_{name}.unfinished"
        folder.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(folder / name)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Let an error say in one line what the store means."""
        try:
            yield
        except OSError as error:
            reason = reason_of(error, self.place, self.s3)
            if reason is None:
                raise
            raise OSError(reason) from error
