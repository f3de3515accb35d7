"""Whether a request names what exists."""

from collections.abc import Collection

from tidegauge_reference import PROFILES, Policies
from tidegauge_spec import load_registry

from ..vectors.published import own_vectors
from ..wire.scenario import BadInput
from ..wire.unknown_names import unknown
from .request import BUDGETS, Request


def check_request(request: Request) -> None:
    """Reject unknown names with `BadInput`, naming those that exist."""
    if request.profile is not None:
        _known("profile", request.profile, PROFILES)
    _known("budget", request.budget, BUDGETS)
    own_vectors(request.vectors)
    if request.diagnose_seconds < 0:
        raise BadInput(f"--diagnose-seconds {request.diagnose_seconds} is below 0; 0 searches for no model")
    if request.scenario_seconds < 1:
        raise BadInput(f"--scenario-seconds {request.scenario_seconds} is below 1")
    if request.memory < 0:
        raise BadInput(f"--memory {request.memory} is below 0; 0 is what the adapter declares")
    for component in request.components:
        _known("component", component, load_registry().chapters)
    for rule in request.rules:
        _known("rule", rule, load_registry().rules, "`tidegauge rules` lists them")


def policies_of(profile: str) -> Policies:
    """The policies of a profile. Raises `BadInput` if there is none of that name."""
    _known("profile", profile, PROFILES)
    return PROFILES[profile]


def _known(what: str, name: str, known: Collection[str], listed: str = "") -> None:
    if name not in known:
        raise BadInput(unknown(what, name, known, listed))
