"""Several components judged at the same time, in forks of this process: what is known of each can be long."""

import multiprocessing
import signal
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from ...engine.parent_death import end_with_parent
from .component_judgement import ComponentJudgement, judge_component
from .evidence import Evidence

_ALIKE = 100
"""A scenario that differs takes about as long to judge as so many that agree."""

_TO_JUDGE: dict[str, tuple[Evidence, Sequence[str]]] = {}
"""In a fork: what it may be asked to judge, and by which rules."""


def judge_components(
    evidence: Mapping[str, tuple[Evidence, Sequence[str]]], until: float, processes: int
) -> dict[str, ComponentJudgement]:
    """The judgement of each component, by its evidence and its rules. `until`: see `judge_component`. Beside
    other threads nothing is forked: a lock that one of them holds would never be released in the fork."""
    if processes == 1 or len(evidence) < 2 or threading.active_count() > 1:
        found = {}
    else:
        found = _judged_in_forks(evidence, until, processes)
    return {
        name: found.get(name) or judge_component(one, rules, until=until)
        for name, (one, rules) in evidence.items()
    }


def _judged_in_forks(
    evidence: Mapping[str, tuple[Evidence, Sequence[str]]], until: float, processes: int
) -> dict[str, ComponentJudgement]:
    """What forks have judged: everything, unless one of them was killed."""
    longest_first = sorted(evidence, key=lambda name: _size(evidence[name][0]), reverse=True)
    with ProcessPoolExecutor(
        min(processes, len(evidence)), multiprocessing.get_context("fork"), _begin, (evidence,)
    ) as pool:
        found: dict[str, ComponentJudgement] = {}
        try:
            asked = {name: pool.submit(_judged, name, until) for name in longest_first}
            for name, one in asked.items():
                found[name] = one.result()
        except BrokenProcessPool:
            return found
        except BaseException:
            for child in multiprocessing.active_children():
                child.terminate()
            raise
    return found


def _size(evidence: Evidence) -> int:
    return _ALIKE * len(evidence.differing) + len(evidence.agreeing) + sum(map(len, evidence.large.values()))


def _begin(evidence: Mapping[str, tuple[Evidence, Sequence[str]]]) -> None:
    _TO_JUDGE.update(evidence)
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _judged(name: str, until: float) -> ComponentJudgement:
    evidence, rules = _TO_JUDGE[name]
    return judge_component(evidence, rules, until=until)
