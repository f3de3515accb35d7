"""What scenarios of all components have; each component adds its own in `steps/<name>.py`."""

from typing import Literal

from msgspec import Struct

from .vocabulary import PROTOCOL, Setup, Step


class Origin(Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """Where a scenario comes from: a published vector, a state cover, a seed with an index, a kind of scale
    with an index, a shrunk or otherwise derived scenario, or a user's own file."""

    kind: Literal["vector", "cover", "seed", "scale", "shrunk", "variant", "own"]
    seed: int | None = None
    index: int | None = None
    of: str | None = None


class BaseScenario(
    Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A setup and a history, and where they come from.

    `groups` are the numbers of steps between the borders at which an engine that observes groups
    (micro-batches) reports; empty means one group. `needs` are capabilities without which the scenario
    does not apply. `spec` is the version of the specification that it came with.
    """

    id: str
    setup: Setup
    history: tuple[Step, ...]
    origin: Origin = Origin("own")
    needs: tuple[str, ...] = ()
    groups: tuple[int, ...] = ()
    spec: str = "1.0"
    protocol: int = PROTOCOL
