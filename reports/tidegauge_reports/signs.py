"""How verdicts show: by letters and by words, never by colour alone."""

from tidegauge.wire.results import KNOWN_DEVIATIONS

SIGNS: dict[str, tuple[str, str]] = {
    "pass": ("P", "pass"),
    "fail": ("F", "fail"),
    "error": ("E", "error"),
    KNOWN_DEVIATIONS: ("F†", "known deviation"),
    "not-tested": ("?", "not tested"),
    "not-applicable": ("–", "not applicable"),
}
"""The letters and the words of whatever `counts_of` counts: verdicts, and apart from them known
deviations."""
