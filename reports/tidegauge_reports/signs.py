"""How verdicts show: by a letter and by words, never by colour alone."""

from tidegauge.results import Verdict

SIGNS: dict[Verdict, tuple[str, str]] = {
    "pass": ("P", "pass"),
    "fail": ("F", "fail"),
    "not-applicable": ("–", "not applicable"),
    "not-judged": ("?", "not judged"),
    "not-run": ("!", "not run"),
}
"""The letter of each verdict and its words."""
