"""The stdin and the stdout of a command that another program communicates with."""

import os
import sys
from typing import BinaryIO

from ..wire.input_file import read_stream
from ..wire.scenario import BadInput

STDIN = "stdin"


def protocol_stream() -> BinaryIO:
    """The real stdout, kept for what is read; whatever an engine prints goes to stderr from now on."""
    protocol = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return protocol


def protocol_lines() -> list[bytes]:
    """Return the lines on stdin. Raises `BadInput` if they cannot be read."""
    try:
        return read_stream(sys.stdin.buffer, STDIN).splitlines()
    except OSError as error:
        raise BadInput(f"{STDIN} cannot be read: {error.strerror}") from None
