"""A file of known deviations, brought up to date; comments and the order of its entries stay."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomlkit
from msgspec.structs import asdict

from ...wire.input_file import read_input_text
from ...wire.scenario import BadInput
from .deviations import Deviation


def update_file(path: Path, outdated: Sequence[Deviation], found: Sequence[Deviation]) -> None:
    """Take the entries `outdated` out and put those `found` in, with an empty reason and link for a person to
    give. Raises `BadInput` if the file cannot be written."""
    try:
        document = tomlkit.parse(read_input_text(path) if path.exists() else _HEADING)
        entries: Any = document.setdefault("deviation", tomlkit.aot())
        kept = [entry for entry in entries if _name(entry) not in {one.name for one in outdated}]
        entries.clear()
        for entry in kept:
            entries.append(entry)
        for deviation in found:
            table = tomlkit.table()
            for name, value in asdict(deviation).items():
                if value is not None:
                    table.add(name, value)
            entries.append(table)
        if not len(entries):
            document.remove("deviation")
        file = path.resolve()  # of a link it is the file that is replaced
        partial = file.with_name(f"{file.name}.partial")
        partial.write_text(tomlkit.dumps(document), encoding="utf-8")
        partial.replace(file)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from None


_HEADING = "# Known deviations of the engine: each entry needs a reason and a link.\n"


def _name(entry: Any) -> str:
    return Deviation(entry.get("policy"), entry.get("value"), entry.get("like")).name
