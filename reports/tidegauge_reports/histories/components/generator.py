"""An input with a generator: its records, what comes from upstream, the strategy as it is built, and time."""

from collections.abc import Sequence

from ...wording import duration_words, value_words, whole_number
from ..acts import begins, ends, note, record, watermark
from ..stage import Stage, Wire
from .drawing import Drawing

_BUILDERS = {
    "no-watermarks": "no watermarks",
    "for-monotonous-timestamps": "monotonous",
    "for-bounded-out-of-orderness": "bound {max_out_of_orderness}",
    "for-generator": "{supplier}",
    "with-timestamp-assigner": "{assigner}",
    "with-idleness": "idle after {timeout}",
    "with-watermark-alignment": "align {watermark_group}, {max_allowed_watermark_drift}, {update_interval}",
}
_MOMENTS = {"tick": "tick", "finish": "finish", "start": "start", "alignment": "read alignment"}
_UPSTREAM = ("watermark", "idle", "active")


def _begin(stage: Stage, setup: Wire, steps: Sequence[Wire]) -> None:
    names = {value_words(step.get("step")) for step in steps}
    if names & _BUILDERS.keys():
        stage.add("strategy", "strategy", "new strategy")
    if "record" in names:
        stage.add("records", "records")
    if names & set(_UPSTREAM):
        stage.add("upstream", "upstream", line=True)
    stage.start_clock(setup.get("processing_time"))


def _play(stage: Stage, step: Wire) -> bool:
    name = step.get("step")
    if not isinstance(name, str):
        return False
    if name in _MOMENTS:
        stage.moment(_MOMENTS[name])
        return True
    if name == "advance":
        return stage.pass_time(step.get("milliseconds"))
    if name in _BUILDERS and (strategy := stage.tracks.get("strategy")):
        note(stage, strategy, _BUILDERS[name].format_map(_Given(step)))
        return True
    if name == "record" and (records := stage.tracks.get("records")):
        return record(stage, records, step)
    if (upstream := stage.tracks.get("upstream")) is None or name not in _UPSTREAM:
        return False
    if name == "watermark":
        watermark(stage, upstream, step)
    elif name == "idle":
        begins(stage, upstream, "idle", "idle")
    else:
        ends(stage, upstream, "idle", "active")
    return True


class _Given(dict[str, str]):
    """The fields of a builder call in words; what is missing is said to be."""

    def __init__(self, step: Wire) -> None:
        super().__init__({
            key: "none" if value is None else value_words(value) for key, value in step.items()
        })  # fmt: skip

    def __missing__(self, key: str) -> str:
        return "default" if key == "update_interval" else "?"


def _setup(setup: Wire) -> str:
    words = [f"{value_words(setup.get('kind', '?'))}"]
    if bound := whole_number(setup.get("max_out_of_orderness")):
        words[0] += f" of {duration_words(bound, 'ms')}"
    words.append(
        f"in {value_words(setup['place'])}" if setup.get("place") == "mid-pipeline" else "at a source"
    )
    if setup.get("assigner") == "ingestion-time":
        words.append("records get the processing time")
    if timeout := whole_number(setup.get("idle_timeout")):
        words.append(f"idle after {duration_words(timeout, 'ms')}")
    return f"Generator: {', '.join(words)}"


GENERATOR = Drawing(_begin, _play, _setup)
