"""Known deviations of an engine: a file that says how it differs from the specification, and why.

A deviation is executable: a policy value, or a named mutant that behaves alike. The reference then runs
with it, and everything else stays judged exactly. The file is TOML::

    [[deviation]]
    like = "mutant:valve-no-flush"
    reason = "we forward IDLE alone until version 3"
    link = "https://example.org/issues/7"

    [[deviation]]
    policy = "align_announced_subtasks"
    value = "reported"
    reason = "..."
    link = "..."

    [[flaky]]
    rule = "JOB-2"
    reason = "the cluster's clock jumps"
    link = "..."
"""

import tomllib
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from tidegauge_spec import load_registry, read_policies

from ...components.registry import load_mutants
from ...wire.implementation import NO_DEVIATIONS
from ...wire.input_file import read_input_text
from ...wire.scenario import BadInput


class Deviation(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The engine follows the `value` of `policy`, or behaves `like` a mutant (`mutant:NAME`)."""

    policy: str | None = None
    value: str | None = None
    like: str | None = None
    reason: str = ""
    link: str = ""

    @property
    def name(self) -> str:
        """How messages call it."""
        return self.like or f"{self.policy} = {self.value}"

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that it changes."""
        if self.like is not None:
            return load_mutants()[self.like.removeprefix("mutant:")].rules
        return tuple(rule.id for rule in load_registry().rules.values() if self.policy in rule.policies)

    @property
    def components(self) -> frozenset[str]:
        """The components in whose scenarios it shows."""
        if self.like is not None:
            return frozenset({load_mutants()[self.like.removeprefix("mutant:")].component})
        return frozenset(load_registry().rules[rule].component for rule in self.rules)


class Flaky(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A rule on which the engine's answer changes from run to run: such a failure alone is not held against
    it."""

    rule: str
    reason: str = ""
    link: str = ""


class KnownDeviations(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a file lists."""

    deviation: tuple[Deviation, ...] = ()
    flaky: tuple[Flaky, ...] = ()


def deviations_of(asked_for: str | None, suggested: str) -> KnownDeviations:
    """The known deviations in the file `asked_for`, or else in the one that comes with the engine; `none`:
    there are none. Raises `BadInput`."""
    file = suggested if asked_for is None else asked_for
    return KnownDeviations() if file in ("", NO_DEVIATIONS) else read_deviations(Path(file))


def read_deviations(path: Path) -> KnownDeviations:
    """Read a file of known deviations. Raises `BadInput` naming the entry and the remedy."""
    try:
        known = msgspec.convert(tomllib.loads(read_input_text(path)), type=KnownDeviations)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise BadInput(f"{path} is no list of known deviations: {error}") from None
    problems = [*_problems(known.deviation), *_flaky_problems(known.flaky)]
    if problems:
        raise BadInput(f"{path}: {problems[0]}")
    return known


def _problems(deviations: Sequence[Deviation]) -> list[str]:
    problems = []
    names = [deviation.name for deviation in deviations]
    for number, deviation in enumerate(deviations, start=1):
        entry = f"deviation {number} ({deviation.name})"
        if (deviation.like is None) == (deviation.policy is None):
            problems.append(f"deviation {number}: give either policy and value, or like")
        elif deviation.like is not None:
            if deviation.like.removeprefix("mutant:") not in load_mutants() or ":" not in deviation.like:
                problems.append(f"{entry}: there is no such mutant; `tidegauge mutants --list` lists them")
        elif deviation.policy not in read_policies():
            problems.append(f"{entry}: there is no such policy; known are {', '.join(read_policies())}")
        elif deviation.value not in (values := read_policies()[str(deviation.policy)].values):
            problems.append(f"{entry}: the values of this policy are {', '.join(values)}")
        elif [other.policy for other in deviations].count(deviation.policy) > 1:
            problems.append(f"{entry}: this policy is given twice")
        if names.count(deviation.name) > 1:
            problems.append(f"{entry}: stands twice in the list")
        problems += _unexplained(entry, deviation.reason, deviation.link)
    return problems


def _flaky_problems(flaky: Sequence[Flaky]) -> list[str]:
    problems = []
    for number, one in enumerate(flaky, start=1):
        if one.rule not in load_registry().rules:
            problems.append(f"flaky {number}: unknown rule {one.rule!r}; `tidegauge rules` lists them")
        problems += _unexplained(f"flaky {number} ({one.rule})", one.reason, one.link)
    return problems


def _unexplained(entry: str, reason: str, link: str) -> list[str]:
    missing = [name for name, text in (("reason", reason), ("link", link)) if not text.strip()]
    return [f"{entry} has no {' and no '.join(missing)}: give both"] if missing else []
