"""Whether two runs can be compared: what they were of, and under which conditions."""

from dataclasses import dataclass

from tidegauge.wire.results import Results
from tidegauge.words.run import ENDED_EARLY, layer_words, selection_words

from ..text import short


@dataclass(frozen=True)
class Difference:
    """Something about the run itself that is not the same. `consequence` says what follows from it for the
    comparison; empty if nothing does."""

    what: str
    old: str
    new: str
    consequence: str = ""


def differences(old: Results, new: Results) -> list[Difference]:
    """What is not the same about two runs, those first that say how far they can be compared."""
    before, after = old.implementation, new.implementation
    found = [
        Difference("engine", before.name, after.name, "these are different engines"),
        Difference("engine version", before.version, after.version),
        Difference(
            "profile", old.profile, new.profile, "the verdicts follow different readings of the rules"
        ),
        Difference("spec", old.spec, new.spec, "the rules may say something else"),
        Difference("budget", old.budget, new.budget, "that explains changes of coverage"),
        Difference("seed", str(old.seed), str(new.seed), "the random scenarios are others"),
        Difference(
            "selection",
            _selection(old),
            _selection(new),
            "rules outside of a selection are missing, and get less",
        ),
        Difference("complete", _complete(old), _complete(new), "what was not reached is not tested"),
        Difference(
            "options", _pairs(before.options), _pairs(after.options), "the engine was set up differently"
        ),
        Difference("layer", layer_words(before), layer_words(after), "other code may have run"),
        Difference("capabilities", *_only(before.capabilities, after.capabilities)),
        Difference("tidegauge", old.tidegauge, new.tidegauge),
        *(
            Difference(name, old.environment.get(name, "none"), new.environment.get(name, "none"))
            for name in sorted({*old.environment, *new.environment})[:60]
        ),
    ]
    told = [
        Difference(
            short(one.what, 60), short(one.old, 200) or "none", short(one.new, 200) or "none", one.consequence
        )
        for one in found
        if one.old != one.new
    ]
    return sorted(told, key=lambda one: not one.consequence)


def _selection(results: Results) -> str:
    return selection_words(results) or "everything"


def _complete(results: Results) -> str:
    return "the whole run" if results.complete else ENDED_EARLY.removeprefix("The run ")


def _pairs(options: dict[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(options.items()))


def _only(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, str]:
    """Of two sets what the other has not."""
    gone, added = sorted({*old} - {*new}), sorted({*new} - {*old})
    return (f"with {', '.join(gone)}" if gone else "", f"with {', '.join(added)}" if added else "")
