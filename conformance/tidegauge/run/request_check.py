"""Whether a request names what exists."""

from collections.abc import Collection

from msgspec.structs import replace

from tidegauge_spec import load_registry

from ..judging.reference.profiles import profile_of
from ..vectors.published import own_vectors
from ..wire.implementation import PROFILE_FILE
from ..wire.scenario import BadInput
from ..wire.unknown_names import spelled, unknown
from .request import BUDGETS, Request


def checked(request: Request) -> Request:
    """The request with its names as they are spelled. Rejects unknown ones with `BadInput`, naming those that
    exist."""
    own_vectors(request.vectors)
    if request.diagnose_steps < 0:
        raise BadInput(f"--diagnose-steps {request.diagnose_steps} is below 0; 0 searches for no model")
    if request.scenario_seconds < 1:
        raise BadInput(f"--scenario-seconds {request.scenario_seconds} is below 1")
    if request.memory < 0:
        raise BadInput(f"--memory {request.memory} is below 0; 0 is what the adapter declares")
    chapters, rules = load_registry().chapters, load_registry().rules
    return replace(
        request,
        profile=None if request.profile is None else _profile(request.profile),
        budget=_known("budget", request.budget, BUDGETS),
        components=tuple(_known("component", one, chapters) for one in request.components),
        rules=tuple(_known("rule", one, rules, "`tidegauge rules` lists them") for one in request.rules),
    )


def _profile(given: str) -> str:
    """Return the name of a profile as it is spelled, or the file of a profile. Raises `BadInput`."""
    profile = profile_of(given)
    return given if given.endswith(PROFILE_FILE) else profile.name


def _known(what: str, name: str, known: Collection[str], listed: str = "") -> str:
    """The name as it is spelled, whatever its case. Raises `BadInput`."""
    found = spelled(name, known)
    if found is None:
        raise BadInput(unknown(what, name, known, listed))
    return found
