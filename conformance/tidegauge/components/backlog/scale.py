"""Scale of the backlog component: combiners with many channels, timestamps at the limits of event time, and
options with names similar to the effective option."""

from tidegauge_reference.backlog import OPTION

from ...wire.steps.backlog import (
    ActiveStep,
    AttributesStep,
    BacklogSetup,
    CombinerSetup,
    IdleStep,
    OtherStep,
    WatermarkStep,
)
from ...wire.timestamps import LARGEST_PLAIN
from ...wire.vocabulary import Step
from ..scale import Scale, Widened
from ..shared.random_source import RandomSource
from ..shared.widening import by_number, layout, steps_by

_OTHERS = {
    "case": OPTION.upper(),
    "case of one letter": OPTION.replace("watermark", "Watermark"),
    "blank behind": f"{OPTION} ",
    "blank before": f" {OPTION}",
    "underscores": OPTION.replace("-", "_"),
    "dots": OPTION.replace("-", "."),
    "no separators": OPTION.replace("-", ""),
    "last part": OPTION.rpartition(".")[2],
    "without its first part": OPTION.partition(".")[2],
    "one letter less": OPTION[:-1],
    "one letter more": f"{OPTION}s",
    "first parts": OPTION.rpartition(".")[0],
    "prefix of 8": f"{OPTION[:8]}.threshold",
    "prefix of 16": f"{OPTION[:16]}.threshold",
    "prefix of 32": f"{OPTION[:32]}-threshold",
    "quotes": f'"{OPTION}"',
    "compatible forms": OPTION.replace("fi", "\ufb01").replace("k", "\uff4b"),
    "accent": OPTION.replace("e", "e\u0301", 1),
    "another part": OPTION.replace("backlog", "source"),
    "camel case": "pipeline.backlog.watermarkLagThreshold",
    "no-break hyphen": OPTION.replace("-", "\u2011"),
    "old name": f"$internal.{OPTION}",
}
"""Options without effect, by their similarity to the effective option."""


def _channels(
    random: RandomSource, setup: BacklogSetup, history: tuple[Step, ...], wanted: int
) -> Widened | None:
    if not isinstance(setup, CombinerSetup):
        return None
    laid_out = layout(random, steps_by(history, "channel", range(setup.channels)), wanted)
    silent = tuple(place for place, part in enumerate(laid_out) if part in setup.without_strategy)
    return CombinerSetup(wanted, silent), by_number(history, "channel", laid_out, setup.channels)


def _undone(step: Step) -> Step | None:
    match step:
        case IdleStep():
            return ActiveStep()
        case OtherStep(backlog=backlog):
            return OtherStep(not backlog)
        case AttributesStep(channel=channel, backlog=backlog):
            return AttributesStep(channel, not backlog)
    return None


def _ends(step: Step) -> bool:
    return isinstance(step, WatermarkStep) and step.timestamp == "MAX"


SCALE = Scale(
    widen={"channels": _channels},
    parts={"channels": "channel"},
    names=(("option",),),
    alike={what: (name, OPTION) for what, name in _OTHERS.items()},
    kept_name=OPTION,
    moved={"now": (0, LARGEST_PLAIN)},
    durations={"milliseconds": (1, LARGEST_PLAIN)},
    undone=_undone,
    ends=_ends,
)
