"""What a run is asked for."""

from collections.abc import Collection

from msgspec import Struct

from tidegauge_reference import PROFILES, Policies
from tidegauge_spec import load_registry

from ..vectors.published import own_vectors
from ..wire.scenario import BadInput
from ..wire.unknown_names import unknown

BUDGETS = ("smoke", "default", "thorough")


class Request(Struct, frozen=True, kw_only=True):
    """`adapter` with its `options`, what to judge (`components`, `rules`; empty: all), and how hard.

    `profile` None takes the one the engine suggests. `vectors` are folders with vectors of the user's own.
    `deviations` is a file of known ones; None takes the one that comes with the engine, `none`
    (`NO_DEVIATIONS`) does without. `out` is the folder of the results.
    """

    adapter: str
    options: dict[str, str] = {}
    profile: str | None = None
    components: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    budget: str = "default"
    seed: int = 1
    vectors: tuple[str, ...] = ()
    deviations: str | None = None
    out: str = "tidegauge-results"


def check_request(request: Request) -> None:
    """Refuse unknown names with `BadInput`, naming those that exist."""
    if request.profile is not None:
        _known("profile", request.profile, PROFILES)
    _known("budget", request.budget, BUDGETS)
    own_vectors(request.vectors)
    for component in request.components:
        _known("component", component, load_registry().chapters)
    for rule in request.rules:
        _known("rule", rule, load_registry().rules, "`tidegauge rules` lists them")


def policies_of(profile: str) -> Policies:
    """The policies of a profile. Raises `BadInput` if there is none of that name."""
    _known("profile", profile, PROFILES)
    return PROFILES[profile]


def read_options(pairs: tuple[str, ...] | list[str]) -> dict[str, str]:
    """`key=value` options as a dictionary. Raises `BadInput`."""
    options = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise BadInput(f"option {pair!r} is not key=value")
        options[key] = value
    return options


def _known(what: str, name: str, known: Collection[str], listed: str = "") -> None:
    if name not in known:
        raise BadInput(unknown(what, name, known, listed))
