"""What a campaign is about: which engine, which scenarios, in which chunks."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tidegauge import __version__
from tidegauge.components.registry import COMPONENTS
from tidegauge.components.within import component_within
from tidegauge.drawing.exhaustive import exhaustive, worlds_of
from tidegauge.engine.loading import describe, load_adapter
from tidegauge.judging.reference.deviations import KnownDeviations, deviations_of
from tidegauge.judging.reference.profiles import chosen_profile, recorded_profile, under_profile
from tidegauge.run.methods import check_methods
from tidegauge.run.plan import PlannedItem, components_asked_for
from tidegauge.run.request import Request
from tidegauge.run.request_check import checked
from tidegauge.wire.implementation import Implementation
from tidegauge.wire.own_profile import OwnProfile
from tidegauge.wire.scenario import BadInput
from tidegauge.wire.shapes import AnyShape
from tidegauge.wire.unknown_names import unknown
from tidegauge_reference import Policies
from tidegauge_spec import SPEC_VERSION

from .names import BATCH, MOST_CHUNKS, SMALLEST_CHUNK

Chunk = PlannedItem
"""A part of a campaign that is judged at once: some of the scenarios of a component, by their indices."""

_LARGEST_INDEX = 2**63


class Space(Struct, frozen=True):
    """The scenarios with the indices from 0 to `size - 1`: drawn by the seed (`random-histories`), or those
    of a small world (`exhaustive`), of which `name` says which and how long."""

    component: str
    suite: str
    name: str
    size: int


class Specification(Struct, frozen=True, kw_only=True):
    """All that determines the rows and verdicts of a campaign, wherever it runs."""

    request: Request
    implementation: Implementation
    profile: str
    own_profile: OwnProfile | None = None
    known: KnownDeviations
    spaces: tuple[Space, ...]
    tidegauge: str = __version__
    spec: str = SPEC_VERSION

    @property
    def policies(self) -> Policies:
        """The policies of the profile."""
        return recorded_profile(self.profile, self.own_profile).policies

    @property
    def size(self) -> int:
        """How many scenarios there are."""
        return sum(space.size for space in self.spaces)

    @property
    def digest(self) -> str:
        """The same for the same campaign only. A campaign may be resumed in another folder, with more memory,
        or with more time for the diagnosis."""
        request = replace(self.request, out="", memory=0, diagnose_steps=0)
        return hashlib.sha256(msgspec.json.encode(replace(self, request=request))).hexdigest()


class Exhaustively(Struct, frozen=True):
    """All histories of a length, in the world of `channels` channels and two timestamps, in that of a name,
    or else in each that the covers of a component have."""

    length: int
    channels: int | None = None
    scope: str | None = None


def specified(request: Request, count: int | None, exhaustively: Exhaustively | None) -> Specification:
    """The campaign of `count` scenarios of each component, the first ones by index; None: all histories of
    those of `exhaustively`. Raises `BadInput`."""
    request = checked(request)
    adapter = load_adapter(request.adapter, request.options)
    try:
        implementation = describe(request.adapter, adapter)
        known = deviations_of(request.deviations, implementation.deviations)
        profile = chosen_profile(request.profile, implementation)
        policies = profile.policies
        implementation = under_profile(profile, implementation)
        components = _components(request, implementation)
        check_methods(request.adapter, adapter, components, policies, implementation.shapes)
    finally:
        adapter.close()
    if exhaustively is None:
        spaces = [Space(name, "random-histories", "", count or 0) for name in components]
    else:
        spaces = _worlds(components, implementation.shapes, exhaustively, count)
    return Specification(
        request=request,
        implementation=implementation,
        profile=profile.name,
        own_profile=profile.own,
        known=known,
        spaces=tuple(spaces),
    )


def _components(request: Request, implementation: Implementation) -> list[str]:
    drawn = [name for name, one in COMPONENTS.items() if one.drawn]
    for name in request.components:
        if name not in drawn:
            raise BadInput(unknown("component of a campaign", name, drawn))
        if name not in implementation.capabilities:
            raise BadInput(f"{implementation.name} does not claim the component {name!r}")
    asked_for = request.components or components_asked_for(request, implementation)
    components = [name for name in drawn if name in asked_for]
    if not components:
        raise BadInput(f"adapter {request.adapter!r} claims no component whose scenarios are drawn")
    return components


def _worlds(
    components: Sequence[str], shapes: tuple[AnyShape, ...], exhaustively: Exhaustively, count: int | None
) -> list[Space]:
    spaces = []
    for component in components:
        narrowed = component_within(component, shapes)
        scopes = worlds_of(narrowed)
        if exhaustively.channels is not None:
            scopes = [f"{exhaustively.channels}-channels-2-timestamps"]
            if narrowed.world(scopes[0]) is None:
                known = ", ".join(worlds_of(narrowed))
                raise BadInput(
                    f"--channels {exhaustively.channels} makes no world of {component}: that is for the "
                    f"component valve, 1 to 99; here --scope takes one of {known}"
                )
        if exhaustively.scope is not None:
            scopes = [exhaustively.scope]
        for scope in scopes:
            every = exhaustive(narrowed, f"{scope}@{exhaustively.length}")
            size = every.size if count is None else min(count, every.size)
            if size > _LARGEST_INDEX:
                raise BadInput(
                    f"{every.name} of {component} has {every.size:,} histories: give --count or a smaller "
                    "--length"
                )
            spaces.append(Space(component, "exhaustive", every.name, size))
    return spaces


def chunks_of(specification: Specification) -> list[Chunk]:
    """The chunks of a campaign, in the order of their indices."""
    found = []
    for space in specification.spaces:
        size = max(SMALLEST_CHUNK, -(-space.size // MOST_CHUNKS))
        size = -(-size // BATCH) * BATCH
        kind = "-".join(part for part in (space.component, space.suite, space.name) if part)
        found += [
            Chunk(
                f"{kind}-{number:05d}",
                space.component,
                space.suite,
                space.name,
                start,
                min(start + size, space.size),
            )
            for number, start in enumerate(range(0, space.size, size))
        ]
    return found
