"""Paths of this machine: files are read and written as such, on all machines of a cluster."""

import re
from pathlib import Path
from urllib.parse import unquote

from tidegauge.wire.scenario import BadInput

_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(/.*)", re.DOTALL)


def local_path(what: str, given: str | Path) -> Path:
    """A path, or a `file:` URI, as a path. Raises `BadInput` if it is a URI of another file system;
    `what` names the option."""
    uri = _URI.fullmatch(str(given))
    if uri is None:
        return Path(given)
    scheme, path = uri[1].lower(), uri[2]
    if scheme != "file":
        raise BadInput(
            f"{what}: {scheme}:// is not supported: mount that file system, on all machines at the "
            "same path, or copy the files"
        )
    return Path(unquote("/" + path.lstrip("/")))
