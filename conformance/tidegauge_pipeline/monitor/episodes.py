"""Episodes: when a finding begins, becomes more or less severe, and ends."""

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from tidegauge.words.log_times import span_text, time_text

from ..event_log.job.finding import Finding

EpisodeKey = tuple[str, str, str, str]
"""Name, job, source and part of a finding."""


class Episode(Struct, frozen=True, kw_only=True):
    """The time in which a job has a finding: `begin` is the processing time (ms) of its first occurrence.
    `finding`: its latest state."""

    begin: int
    finding: Finding


class Change(Struct, frozen=True, kw_only=True):
    """A finding begins, changes its severity, or ends, at a processing time (ms)."""

    event: Literal["begins", "changes", "ends"]
    at: int
    episode: Episode


def key_of(finding: Finding) -> EpisodeKey:
    """Return what identifies a finding while it lasts."""
    return finding.name, finding.job, finding.source, finding.part


def next_episodes(
    before: Mapping[EpisodeKey, Episode], findings: Iterable[Finding], at: int
) -> tuple[dict[EpisodeKey, Episode], list[Change]]:
    """Return the present episodes, and what has changed.

    Args:
        before: the episodes so far.
        findings: the present findings, the most severe first. Of findings with one key, the first counts.
        at: the present processing time (ms).
    """
    present: dict[EpisodeKey, Episode] = {}
    changes: list[Change] = []
    for finding in findings:
        key = key_of(finding)
        if key in present:
            continue
        known = before.get(key)
        episode = Episode(begin=finding.begin if known is None else known.begin, finding=finding)
        present[key] = episode
        if known is None:
            changes.append(Change(event="begins", at=at, episode=episode))
        elif known.finding.severity != finding.severity:
            changes.append(Change(event="changes", at=at, episode=episode))
    ended = [episode for key, episode in before.items() if key not in present]
    changes += [Change(event="ends", at=at, episode=episode) for episode in ended]
    return present, changes


def line_of(change: Change) -> str:
    """Return a change as one line of text."""
    finding = change.episode.finding
    where = f"{finding.job}/{finding.source}" if finding.source else finding.job
    head = f"{time_text(change.at)} {change.event} {finding.severity} {finding.name} {where}"
    if change.event == "ends":
        return f"{head} after {span_text(max(0, change.at - change.episode.begin))}"
    return f"{head}: {finding.sentence}; remedy: {finding.remedy}"
