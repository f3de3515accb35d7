"""The measure of soundness over many cases: resumable, in parts, and its figures against their bars."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ..engine.limits import limit_memory
from ..engine.process_pool import process_pool
from ..wire.input_file import read_input
from ..wire.scenario import UNREADABLE, BadInput
from .soundness import Case, Outcome, outcome_of

_ENCODER = msgspec.json.Encoder()


class Nothing(msgspec.Struct, frozen=True, tag=True):
    """A case that shows in no scenario."""

    key: str


@dataclass(frozen=True)
class Bar:
    """A figure in percent, with the bound it must keep: `at_least` or else at most."""

    name: str
    value: float
    bound: float
    at_least: bool
    counts: str

    @property
    def kept(self) -> bool:
        """Whether the figure keeps its bound."""
        return self.value >= self.bound if self.at_least else self.value <= self.bound


def part_of(cases: Sequence[Case], part: str) -> list[Case]:
    """The i-th of n parts ("2/4") of the cases. Raises `BadInput`."""
    number, slash, parts = part.partition("/")
    if not slash or not number.isdecimal() or not parts.isdecimal() or not 1 <= int(number) <= int(parts):
        raise BadInput(f"--part {part!r} is not i/n with i from 1 to n")
    return list(cases[int(number) - 1 :: int(parts)])


def measured(cases: Sequence[Case], workers: int, kept: Path | None) -> Iterator[Outcome | Nothing]:
    """The outcome of each case, as they become known; those in the file `kept` are not tried again, the
    others are appended to it. Raises `BadInput` if it is no such file."""
    known = {one.key: one for one in _read(kept)} if kept is not None else {}
    wanted = {case.key for case in cases}
    yield from (one for key, one in known.items() if key in wanted)
    missing = [case for case in cases if case.key not in known]
    with process_pool(workers, "spawn", limit_memory) as pool:
        for future in as_completed([pool.submit(_outcome, case) for case in missing]):
            outcome = future.result()
            if kept is not None:
                with kept.open("ab") as file:
                    file.write(_ENCODER.encode(outcome) + b"\n")
            yield outcome


def _outcome(case: Case) -> Outcome | Nothing:
    return outcome_of(case) or Nothing(case.key)


def _read(file: Path) -> list[Outcome | Nothing]:
    if not file.exists():
        return []
    try:
        lines = read_input(file).splitlines()
        return [msgspec.json.decode(line, type=Outcome | Nothing) for line in lines]
    except (OSError, *UNREADABLE) as error:
        raise BadInput(f"{file} holds no outcomes of --soundness: {error}; give another file") from None


def bars(outcomes: Iterable[Outcome | Nothing]) -> list[Bar]:
    """The figures of issue and README, each with its bound; only those of which there are cases."""
    whole = [one for one in outcomes if isinstance(one, Outcome)]

    def of(kind: str, left_out: bool) -> list[Outcome]:
        return [one for one in whole if one.kind == kind and one.left_out == left_out and not one.shape]

    found: list[Bar | None] = []
    for shape in sorted({one.shape for one in whole} - {""}):
        some = [one for one in whole if one.shape == shape]
        found.append(_false(f"false passes, {shape}", some, 0.0))
    for kind, bound in (("single", 0.0), ("pair", 0.0), ("triple", 0.0)):
        found.append(_false(f"false passes, known {kind}", of(kind, False), bound))
    for kind, bound in (("single", 1.0), ("pair", 1.0), ("triple", 5.0), ("small-change", 5.0)):
        found.append(_false(f"false passes, unknown {kind}", of(kind, True), bound))
    for kind, left_out, bound in (("single", False, 90.0), ("pair", False, 85.0), ("single", True, 55.0)):
        some = of(kind, left_out)
        name = f"other rules that pass, {'unknown' if left_out else 'known'} {kind}"
        found.append(_share(name, sum(one.kept for one in some), sum(one.others for one in some), bound))
    for left_out, bound in ((False, 99.0), (True, 80.0)):
        some = of("single", left_out)
        word = "unknown" if left_out else "known"
        named = sum(len(one.named) for one in some)
        total = named + sum(len(one.misnamed) for one in some)
        found.append(_share(f"fail verdicts that are listed, {word} single", named, total, bound))
        engines = sum(bool(one.named) for one in some)
        bound = 80.0 if left_out else 100.0
        found.append(_share(f"engines with a listed fail, {word} single", engines, len(some), bound))
    pairs = of("pair", False)
    visible = sum(one.defects - len(one.hidden) for one in pairs)
    unnamed = sum(len(one.unnamed) for one in pairs)
    found.append(_share("visible defects that are named, known pair", visible - unnamed, visible, 97.0))
    return [bar for bar in found if bar is not None]


def _false(name: str, outcomes: Sequence[Outcome], bound: float) -> Bar | None:
    counted = [one for one in outcomes if one.kind != "small-change" or len(one.listed) == 1]
    false, listed = sum(len(one.false) for one in counted), sum(len(one.listed) for one in counted)
    return _bar(name, false, listed, bound, at_least=False)


def _share(name: str, number: int, total: int, bound: float) -> Bar | None:
    return _bar(name, number, total, bound, at_least=True)


def _bar(name: str, number: int, total: int, bound: float, *, at_least: bool) -> Bar | None:
    if not total:
        return None
    return Bar(name, 100 * number / total, bound, at_least, f"{number:,} of {total:,}")
