"""Errors, models and evidence of a run in words: the same words in every view."""

import re

from ..wire.results import (
    KNOWN_DEVIATIONS,
    ComponentResult,
    EngineError,
    ErrorKind,
    PropertyResult,
    RuleResult,
)

SUSPECTED = "most likely cause (suspiciousness), not proven"
"""Said of a rule that fails without a proof."""

THIN = "thin evidence: fewer than three mutants"
"""Said of a pass that excludes little."""

_EXCEPTION = re.compile(r"[\w.$]{1,120}(?=:|$)")
_INSTEAD: dict[ErrorKind, str] = {
    "exception": "raised an exception",
    "protocol": "gave an answer that is not of the vocabulary",
    "missing": "gave no answer",
    "crashed": "crashed",
    "timeout": "did not answer in time",
}


def kind_of(found: RuleResult | PropertyResult) -> str:
    """What it counts as: its verdict, or a known deviation. These are the names that `counts_of` uses."""
    return KNOWN_DEVIATIONS if found.verdict == "fail" and found.deviation is not None else found.verdict


def error_words(error: EngineError) -> str:
    """What the engine did instead of answering, and how often: `raised ConnectionError in 863 of 2,954
    scenarios`."""
    name = _exception(error)
    instead = f"raised {name}" if name else _INSTEAD[error.kind]
    return f"{instead} in {error.scenarios:,} of {error.of:,} scenarios"


def error_detail(error: EngineError) -> str:
    """What `error_words` does not say of an error: `: lost connection`; empty if there is nothing."""
    detail = error.text.removeprefix(_exception(error)).removeprefix(":").strip()
    return f": {detail}" if detail else ""


def _exception(error: EngineError) -> str:
    """The name of the exception that was raised; empty if it was something else."""
    name = _EXCEPTION.match(error.text) if error.kind == "exception" else None
    return name[0] if name else ""


def model_words(found: ComponentResult) -> str:
    """Which model behaves as the engine, and how much it explains; empty without a model."""
    names = [term.name for term in found.model]
    if not names:
        return ""
    listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    together = " together" if len(names) > 1 else ""
    of = f"{found.examined:,}"
    if found.examined != found.failing:
        of += f" examined scenarios, of {found.failing:,}"
    explains = f"explains {found.explained:,} of {of} failing scenarios"
    behaves = "behaves as" if found.explained == found.examined else "behaves in part as"
    return f"{found.component} {behaves} {listed}{together}: {explains}"
