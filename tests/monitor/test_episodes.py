"""Episodes: what is reported when findings begin, change and end."""

from __future__ import annotations

from tidegauge_pipeline.event_log.job.finding import Finding, Severity
from tidegauge_pipeline.monitor.episodes import Change, Episode, EpisodeKey, line_of, next_episodes


def finding(name: str, begin: int, severity: Severity = "error", sentence: str = "rows came late") -> Finding:
    return Finding(
        name=name, severity=severity, job="shop", source="sums", begin=begin, sentence=sentence, remedy="wait"
    )


def replayed(*moments: tuple[Finding, ...]) -> list[list[Change]]:
    """Return the changes at each moment, one second after the other."""
    episodes: dict[EpisodeKey, Episode] = {}
    changes = []
    for number, findings in enumerate(moments):
        episodes, changed = next_episodes(episodes, findings, 1000 * number)
        changes.append(changed)
    return changes


def test_a_finding_is_reported_when_it_begins_and_when_it_ends() -> None:
    late = finding("late-rows", 500)
    changes = replayed((), (late,), (finding("late-rows", 900),), (), (late,))
    assert [[change.event for change in changed] for changed in changes] == [
        [],
        ["begins"],
        [],
        ["ends"],
        ["begins"],
    ]
    assert line_of(changes[1][0]) == "1000 ms begins error late-rows shop/sums: rows came late; remedy: wait"
    assert line_of(changes[3][0]) == "3000 ms ends error late-rows shop/sums after 2.5 s"
    assert changes[3][0].episode.finding.begin == 900  # the latest state


def test_a_change_of_severity_is_reported() -> None:
    _, (change,) = replayed((finding("late-rows", 0, "warning"),), (finding("late-rows", 0, "error"),))
    assert (change.event, change.episode.finding.severity) == ("changes", "error")


def test_findings_with_the_same_key_are_one_episode() -> None:
    first, second = finding("late-rows", 0), finding("late-rows", 1, sentence="others")
    assert [len(changed) for changed in replayed((first, second), (second, first), ())] == [1, 0, 1]
