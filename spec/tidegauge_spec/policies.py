"""Policies and profiles as text: which value each named choice has in each profile."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from .sections import MalformedChapter, Section, read_sections

_VALUE = re.compile(r"`(?P<value>[^`]+)`")
_IN_PROFILE = re.compile(r"(?P<profile>[a-z0-9.-]+) = `(?P<value>[^`]+)`")


@dataclass(frozen=True)
class PolicyText:
    """A named choice: its meaning, its values, the value in each profile, and the source."""

    name: str
    meaning: str
    values: tuple[str, ...]
    profiles: dict[str, str]
    source: str


def read_policies() -> dict[str, PolicyText]:
    """The policies of `policies.md` by name. Raises `MalformedChapter`."""
    policies: dict[str, PolicyText] = {}
    every_profile = set(read_profiles())
    for section in _second_level("policies.md"):
        section.only({"Meaning", "Values", "Profiles", "Source"})
        values = tuple(m["value"] for m in _VALUE.finditer(section.required("Values").text))
        assignments = section.required("Profiles")
        profiles = {m["profile"]: m["value"] for m in _IN_PROFILE.finditer(assignments.text)}
        if section.title in policies:
            raise MalformedChapter(section.name, section.line, f"policy {section.title} stands twice")
        if not values or set(profiles.values()) - set(values) or set(profiles) != every_profile:
            problem = f"{section.title}: every profile needs one of the policy's values"
            raise MalformedChapter(section.name, assignments.line, problem)
        policies[section.title] = PolicyText(
            section.title,
            section.required("Meaning").text,
            values,
            profiles,
            section.required("Source").text,
        )
    return policies


def read_profiles() -> dict[str, str]:
    """Name and meaning of each profile of `profiles.md`."""
    return {section.title: section.required("Meaning").text for section in _second_level("profiles.md")}


def read_absent() -> dict[str, frozenset[str]]:
    """The components and capabilities that each profile does not have (`*Without:*`)."""
    return {
        section.title: frozenset(re.split(r",\s*", section.fields["Without"].text))
        if "Without" in section.fields
        else frozenset()
        for section in _second_level("profiles.md")
    }


def _second_level(name: str) -> list[Section]:
    text = (files("tidegauge_spec") / name).read_text(encoding="utf-8")
    return [section for section in _sections(text, name) if section.level == 2]


@cache
def _sections(text: str, name: str) -> list[Section]:
    """A text is parsed once a process: the policies are asked for rule by rule."""
    return read_sections(text, name)
