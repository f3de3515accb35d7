"""What other packages add to the command line by entry points, and the remedy where it does not load."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint, PackageNotFoundError, requires
from typing import Any

from ..wire.scenario import BadInput

_OF_EXTRA = re.compile(r"([\w.-]+).*\bextra == ['\"]([\w.-]+)['\"]")
"""A requirement of an extra in the metadata: `pyspark<4.4,>=4.3; extra == 'spark'`."""


def loaded(entry: EntryPoint) -> Any:
    """Return what an entry point names.

    Raises:
        BadInput: if it does not load. If a package of an extra is missing, the message is the command that
            installs the extra.
    """
    try:
        return entry.load()
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        extra = _extra_with(package, entry)
        if extra:
            raise BadInput(f"{package} is not installed: pip install '{extra}'") from missing
        raise BadInput(f"{entry.value}: {_short(missing)}") from missing
    except Exception as problem:
        raise BadInput(f"{entry.value}: {_short(problem)}") from problem


def _extra_with(package: str, entry: EntryPoint) -> str:
    """Return the extra that installs a package, such as `tidegauge[spark]`, or "" if there is none.

    Of several, it is the one with the most packages: numpy comes with `spark` and with `logs`, and where
    numpy is missing, the rest of `spark` may be missing, too.
    """
    if entry.dist is None:
        return ""
    try:
        requirements = requires(entry.dist.name) or []
    except PackageNotFoundError:
        return ""
    by_extra: dict[str, set[str]] = {}
    for requirement in requirements:
        found = _OF_EXTRA.match(requirement)
        if found is not None:
            by_extra.setdefault(found[2], set()).add(found[1].lower())
    with_package = [name for name, packages in by_extra.items() if package.lower() in packages]
    if not with_package:
        return ""
    return f"{entry.dist.name}[{max(with_package, key=lambda name: len(by_extra[name]))}]"


def _short(problem: Exception) -> str:
    return " ".join(str(problem).split())[:200]
