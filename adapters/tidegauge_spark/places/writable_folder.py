"""A folder to which files are written atomically: a file appears as a whole or not at all."""

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
    """A folder, which is created with its first file.

    Attributes:
        place: a place as `place_of` returns it.
        s3: the connection settings for S3.
    """

    place: str
    s3: S3Settings = FROM_ENVIRONMENT

    @classmethod
    def of(cls, folder: str | Path, s3: S3Settings = FROM_ENVIRONMENT) -> WritableFolder:
        """Return the folder with this path or URI. Raises `IllegalPlaceError`."""
        return cls(place_of(str(folder)), s3)

    def sub_folder(self, *names: str) -> WritableFolder:
        """Return a sub-folder of this folder."""
        return WritableFolder("/".join((self.place.rstrip("/"), *names)), self.s3)

    def names(self) -> list[str]:
        """Return the sorted names of the files and folders in the folder, or none if it does not exist.

        Raises `OSError`.
        """
        from pyarrow import fs as filesystems  # imported late: only event logs need it

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
        """Write a file; it atomically replaces a file of the same name.

        content: bytes or an Arrow buffer.

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
        """Convert the error of a store into a one-line explanation."""
        try:
            yield
        except OSError as error:
            reason = reason_of(error, self.place, self.s3)
            if reason is None:
                raise
            raise OSError(reason) from error
