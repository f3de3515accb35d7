"""The profile that an engine is measured against: from the specification, or from a file of the author.

The file is TOML, and each of its entries needs a reason::

    name = "my-engine"
    base = "core"

    [[choice]]
    policy = "valve_finished_channel"
    value = "counts"
    reason = "an input that ends holds the watermark at its last value"

    [[shape]]
    component = "valve"
    statuses = "none"
    reason = "our inputs are never idle"
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from tidegauge_reference import PROFILES, Policies
from tidegauge_spec import read_absent, read_policies

from ...engine.shape_check import read_shapes
from ...wire.implementation import PROFILE_FILE, Implementation
from ...wire.input_file import read_input_text
from ...wire.own_profile import Choice, OwnProfile, ReasonedShape
from ...wire.scenario import BadInput
from ...wire.shapes import AnyShape, component_of_shape
from ...wire.unknown_names import listing, spelled, unknown

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """The contents of an author's file. The shapes still contain their reasons."""

    name: str
    base: str = "core"
    choice: tuple[dict[str, str], ...] = ()
    shape: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Profile:
    """A named set of policy values for the reference.

    Attributes:
        name: the name of the profile.
        base: the name of the specification's profile. For an author's profile, the name of the profile that
            it is based on; otherwise equal to `name`.
        policies: the value of each policy.
        own: the profile of the engine's author; None for a profile of the specification.
    """

    name: str
    base: str
    policies: Policies
    own: OwnProfile | None = None


def profile_of(given: str) -> Profile:
    """Return the profile with a name, or the profile in a file whose name ends in `.toml`.

    Raises:
        BadInput: if the name is unknown or the file is rejected.
    """
    if given.endswith(PROFILE_FILE):
        return profile_of_author(read_own_profile(Path(given)))
    name = spelled(given, PROFILES)
    if name is None:
        listed = f"{listing(PROFILES)}; a profile of your own is a file whose name ends in {PROFILE_FILE}"
        raise BadInput(unknown("profile", given, PROFILES, listed))
    return Profile(name, name, PROFILES[name])


def chosen_profile(given: str | None, implementation: Implementation) -> Profile:
    """Return the profile by which an engine is judged.

    The first of these that exists: the given profile, the author's profile that the adapter ships, the
    profile of the specification that the adapter suggests.

    Raises:
        BadInput: if the name is unknown or the file is rejected.
    """
    return profile_of(given) if given is not None else declared_profile(implementation)


def declared_profile(implementation: Implementation) -> Profile:
    """Return the profile that an adapter declares: its author's file, or a profile of the specification.

    Raises:
        BadInput: if the name is unknown or the file is rejected.
    """
    return profile_of(implementation.profile_file or implementation.profile)


def profile_of_author(own: OwnProfile) -> Profile:
    """Return the base profile with its policy values replaced by the author's choices."""
    chosen: dict[str, Any] = {choice.policy: choice.value for choice in own.choices}
    return Profile(own.name, own.base, replace(PROFILES[own.base], **chosen), own)


def recorded_profile(name: str, own: OwnProfile | None) -> Profile:
    """Return the profile in the record of a run. Raises `BadInput` if its name is unknown."""
    return profile_of_author(own) if own is not None else profile_of(name)


def read_own_profile(path: Path, *, with_reasons: bool = True) -> OwnProfile:
    """Read the profile in an author's file.

    Args:
        path: the file.
        with_reasons: whether a profile with missing reasons is rejected.

    Raises:
        BadInput: if the file is rejected; the message names the file, the entry and the remedy.
    """
    try:
        text = read_input_text(path)
        file = msgspec.convert(tomllib.loads(text), type=_File)
        profile = OwnProfile(
            file.name,
            file.base,
            tuple(_choice(number, entry) for number, entry in enumerate(file.choice, start=1)),
            tuple(_shape(number, entry) for number, entry in enumerate(file.shape, start=1)),
        )
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}; give a profile or its file") from None
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise BadInput(f"{path} is no profile: {error}") from None
    check_own_profile(profile, f"{path}: ")
    if with_reasons:
        for entry in _without_reason(profile):
            raise BadInput(f"{path}: {entry} has no reason; write why the engine's author stands by it")
    return profile


def check_own_profile(profile: OwnProfile, place: str = "") -> None:
    """Reject a profile with an invalid name, with unknown policies or values, or with repeated entries.

    A choice that has the same value in the base profile is rejected, too.

    Raises:
        BadInput: with a message that begins with `place`.
    """
    for problem in _problems(profile):
        raise BadInput(f"{place}{problem}")


def _choice(number: int, entry: dict[str, str]) -> Choice:
    try:
        return msgspec.convert({"reason": "", **entry}, type=Choice)
    except msgspec.ValidationError as error:
        raise ValueError(f"choice {number}: {error}") from None


def _shape(number: int, entry: dict[str, Any]) -> ReasonedShape:
    features = {field: value for field, value in entry.items() if field != "reason"}
    try:
        return ReasonedShape(read_shapes([features])[0], str(entry.get("reason", "")))
    except BadInput as problem:
        raise ValueError(f"shape {number}: {problem}") from None


def _problems(profile: OwnProfile) -> Iterator[str]:
    if not _NAME.fullmatch(profile.name):
        yield f"the name {profile.name!r} is not made of at most 40 letters, digits, dashes, dots"
    if spelled(profile.name, PROFILES) is not None:
        yield f"the name {profile.name} is that of a profile of the specification; choose another"
    if profile.base not in PROFILES:
        yield f"base: {unknown('profile', profile.base, PROFILES)}"
        return
    times = Counter(choice.policy for choice in profile.choices)
    for number, choice in enumerate(profile.choices, start=1):
        yield from _choice_problems(f"choice {number} ({choice.policy})", choice, profile.base)
        if times[choice.policy] > 1:
            yield f"choice {number} ({choice.policy}): this policy is given twice"
    several = Counter(component_of_shape(shape.features) for shape in profile.shapes)
    for component, number in several.items():
        if number > 1:
            yield f"the shape of {component} is given twice"


def _choice_problems(entry: str, choice: Choice, base: str) -> Iterator[str]:
    policies = read_policies()
    if choice.policy not in policies:
        yield f"{entry}: {unknown('policy', choice.policy, policies)}"
    elif choice.value not in policies[choice.policy].values:
        yield f"{entry}: the values of this policy are {', '.join(policies[choice.policy].values)}"
    elif choice.value == policies[choice.policy].profiles[base]:
        yield f"{entry}: {choice.value} is the value in {base}; delete this choice"


def _without_reason(profile: OwnProfile) -> Iterator[str]:
    for number, choice in enumerate(profile.choices, start=1):
        if not choice.reason.strip():
            yield f"choice {number} ({choice.policy} = {choice.value})"
    for number, shape in enumerate(profile.shapes, start=1):
        if not shape.reason.strip():
            yield f"shape {number} ({component_of_shape(shape.features)})"


def shapes_under(profile: Profile, declared: tuple[AnyShape, ...]) -> tuple[AnyShape, ...]:
    """Return the shapes that the adapter declares, then the profile's shapes of other components.

    Raises:
        BadInput: if the adapter and the profile give a component different shapes.
    """
    own = profile.own.shapes if profile.own is not None else ()
    by_component = {component_of_shape(shape): shape for shape in declared}
    for shape in own:
        component = component_of_shape(shape.features)
        if by_component.setdefault(component, shape.features) != shape.features:
            raise BadInput(
                f"the profile {profile.name} and the adapter describe different shapes of the component "
                f"{component}; delete the shape in the profile"
            )
    return tuple(by_component.values())


def under_profile(profile: Profile, implementation: Implementation) -> Implementation:
    """Return what is judged of an engine: the capabilities that the profile has, within the shapes of the
    adapter and the profile. Raises `BadInput` if these shapes contradict each other."""
    absent = read_absent()[profile.base]
    present = tuple(name for name in implementation.capabilities if name not in absent)
    shapes = shapes_under(profile, implementation.shapes)
    return msgspec.structs.replace(implementation, capabilities=present, shapes=shapes)
