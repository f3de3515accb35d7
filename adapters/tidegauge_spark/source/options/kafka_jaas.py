"""The option sasl.jaas.config of the Java Kafka client: a login module and its options."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_ENTRY: Final = re.compile(
    r"\s*([\w.$]+)\s+(?:required|requisite|sufficient|optional)\b(.*);\s*", re.I | re.S
)
_OPTION: Final = re.compile(
    r"""\s+([\w.-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s;"']+))""", re.S
)


class Login(NamedTuple):
    """The last part of a login module's name, and the options of the module."""

    module: str
    options: dict[str, str]


def parse_jaas(text: str) -> Login:
    """Return the login module of a JAAS entry.

    Raises `ValueError` if the text is not a JAAS entry. The message does not contain the text, which may
    include a password.
    """
    entry = _ENTRY.fullmatch(text)
    if entry is None:
        raise ValueError("not a JAAS entry")
    options, rest = {}, entry[2].rstrip()
    at = 0
    while at < len(rest):
        option = _OPTION.match(rest, at)
        if option is None:
            raise ValueError("not options of a login module")
        quoted = option[2] if option[2] is not None else option[3]
        options[option[1]] = option[4] if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.S)
        at = option.end()
    return Login(entry[1].rpartition(".")[2], options)
