"""The address from which a new project installs the kit.

The name alone would install whatever an index has under that name, which need not be this kit.
"""

import json
import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from ...wire.scenario import BadInput

VARIABLE = "TIDEGAUGE"
"""The name of the environment variable, and of the variable of a GitHub repository, with the address."""

_UNKNOWN = "file:///set-TIDEGAUGE-to-the-address-of-the-kit"
"""The address if none is known: the installation fails with an error that says what to do."""

_ADDRESS = re.compile(r"(https|git\+https|git\+ssh|file)://[\w./@:%+~#=&?-]+")


@dataclass(frozen=True)
class KitAddress:
    """The address of the kit, as pip takes it after `@`.

    here: the address on this machine. everywhere: the address on other machines, such as those of CI; "" if
    the kit is in a folder of this machine.
    """

    here: str
    everywhere: str

    @property
    def template_values(self) -> dict[str, str]:
        """The variables that templates need to write an installation of the kit."""
        return {
            "here": self.here,
            "address": self.everywhere,
            "variable": VARIABLE,
            "unset": f"set the variable {VARIABLE} of the repository to the address of the kit",
        }


def kit_address(given: str) -> KitAddress:
    """Return the address that a user gives, or else the one from which the kit was installed.

    Raises `BadInput` if it is neither an address nor a path that exists.
    """
    if not given:
        installed = _installed_from()
        return KitAddress(installed or _UNKNOWN, "" if installed.startswith("file:") else installed)
    if "://" not in given:
        path = Path(given)
        if not path.exists():
            raise BadInput(f"--kit {given}: no such folder or wheel; give its path, or an https:// address")
        return KitAddress(path.resolve().as_uri(), "")
    if not _ADDRESS.fullmatch(given):
        raise BadInput(f"--kit {given}: give https://, git+https://, git+ssh:// or file://, without spaces")
    return KitAddress(given, "" if given.startswith("file:") else given)


def _installed_from() -> str:
    """Return the address that pip has recorded (PEP 610); "" if the kit came from an index, or was copied."""
    try:
        recorded = distribution("tidegauge").read_text("direct_url.json")
    except PackageNotFoundError:
        return ""
    if recorded is None:
        return ""
    origin = json.loads(recorded)
    if "vcs_info" in origin:
        return f"{origin['vcs_info']['vcs']}+{origin['url']}@{origin['vcs_info']['commit_id']}"
    address: str = origin["url"]
    return address if _ADDRESS.fullmatch(address) else ""
