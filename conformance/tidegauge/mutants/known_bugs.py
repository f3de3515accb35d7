"""Real defects of stream processors, and what the kit makes of each: `known-bugs.jsonl`, one a line."""

from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from msgspec import Struct
from msgspec.json import Decoder


class PolicyValue(Struct, frozen=True, forbid_unknown_fields=True):
    """The value of a policy under which an engine may do what the defect does."""

    name: str
    value: str


class KnownBug(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A defect of a `system`, in its tracker under `id` and perhaps further ids (`also`).

    One of three says what became of it: the `mutants` that do it; the `policy` by which engines may
    legitimately differ there; or why it is `unusable`, because the specification has nothing that could show
    it, or asks for something else. `under`: the values of policies under which the reference does what the
    mutants do, since a profile describes a release that has the defect.
    """

    id: str
    system: str
    title: str
    links: tuple[str, ...]
    also: tuple[str, ...] = ()
    mutants: tuple[str, ...] = ()
    policy: PolicyValue | None = None
    unusable: str = ""
    under: tuple[PolicyValue, ...] = ()

    def is_shown_under(self, policy: str, value: str) -> bool:
        """Whether an engine with this value of the policy has the defect."""
        return PolicyValue(policy, value) in (*self.under, self.policy)


@cache
def load_known_bugs() -> Mapping[str, KnownBug]:
    """All known bugs by `id`. Raises `msgspec.ValidationError` if a line is not one."""
    lines = (files(__package__) / "known-bugs.jsonl").read_text(encoding="utf-8")
    return MappingProxyType({bug.id: bug for bug in Decoder(KnownBug).decode_lines(lines)})


@cache
def _by_any_id() -> Mapping[str, KnownBug]:
    bugs = load_known_bugs().values()
    return {id: bug for bug in bugs for id in (bug.id, *bug.also)}


def ids_of_known_bugs() -> Collection[str]:
    """Every id of a known bug, its further ids too."""
    return _by_any_id().keys()


def known_bug(id: str) -> KnownBug | None:
    """The known bug of this id, or with this further id; None if there is none."""
    return _by_any_id().get(id)
