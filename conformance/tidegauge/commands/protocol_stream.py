"""The real stdout of a command whose output another program reads."""

import os
from typing import BinaryIO


def protocol_stream() -> BinaryIO:
    """The real stdout, kept for what is read; whatever an engine prints goes to stderr from now on."""
    protocol = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return protocol
