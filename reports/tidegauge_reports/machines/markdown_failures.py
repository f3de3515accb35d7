"""Blocks of Markdown: a failing rule, or the suspects of a difference, with the counterexample."""

from collections.abc import Mapping, Sequence

from tidegauge.wire.results import Counterexample, RuleResult
from tidegauge.words.evidence import FLAKY, counterexample_title, downstream_words, suspected_words
from tidegauge.words.suspects import is_explained, suspects_title, why_suspected

from ..text import too_long, whole
from .inert_markdown import block, bold, inert, prose

_LONGEST_COMMAND = 6_000
_MOST_SUSPECTS = 10


def failure_block(rule: RuleResult) -> str:
    """Return the block of a failing rule, with its counterexample or the reason why there is none."""
    lines = [f"#### {inert(rule.id, 60)} ({inert(rule.level, 20)}) {prose(rule.title, 200)}", ""]
    lines.append(prose(rule.sentence))
    for text in filter(None, (_flaky_words(rule), suspected_words(rule), downstream_words(rule))):
        lines += ["", inert(text, 400)]
    if rule.counterexample is None:
        return "\n".join([*lines, "", inert(rule.reason)])
    return "\n".join([*lines, *_shown_by(rule.counterexample)])


def _flaky_words(rule: RuleResult) -> str:
    return f"{FLAKY}: {rule.flaky}" if rule.flaky is not None else ""


def _shown_by(example: Counterexample) -> list[str]:
    """Return both sides of a difference, the folded counterexample, and the command that replays it."""
    difference = f"expected: {example.expected}\ngot:      {example.got}"
    folded = f"<details><summary>{counterexample_title(example)}</summary>"
    return [
        *("", block(difference, longest=1_500)),
        *("", folded, "", block(example.message), "", "</details>"),
        *("", "Replay:", "", _command(example.replay)),
    ]


def _command(command: str) -> str:
    found = whole(command, _LONGEST_COMMAND)
    return too_long(command) if found is None else block(found, "sh", _LONGEST_COMMAND)


def suspects_block(together: Sequence[RuleResult], titles: Mapping[str, str]) -> str:
    """Return the block of the suspects of one difference, with the counterexample that they share.

    Args:
        together: the suspects whose verdict rests on the difference.
        titles: the titles of all rules of the run, by id.
    """
    first = together[0]
    lines = [f"#### {inert(suspects_title(first), 400)}", ""]
    for one in first.suspects[:_MOST_SUSPECTS]:
        plausibility = "" if is_explained(first) else f" (plausibility {one.score:.2f})"
        lines.append(f"* {bold(one.rule)} {prose(titles.get(one.rule, ''), 200)}{plausibility}")
    for text in filter(None, (why_suspected(first), _flaky_words(first))):
        lines += ["", inert(text, 400)]
    example = next((rule.counterexample for rule in together if rule.counterexample is not None), None)
    return "\n".join([*lines, *(["", inert(first.reason)] if example is None else _shown_by(example))])
