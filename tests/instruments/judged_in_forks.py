"""A program without other threads that judges two components of a wrong engine in forks, and in this process:
`python judged_in_forks.py [killed | raising | beside-a-thread]`. It prints what is the same and who judged.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from math import inf
from multiprocessing import active_children
from unittest.mock import patch

from component_scenarios import drawn
from judged import evidence_from, rules_judged_in

from tidegauge.engine.loading import load_adapter
from tidegauge.judging.diagnosis import side_by_side
from tidegauge.judging.diagnosis.component_judgement import ComponentJudgement, judge_component
from tidegauge.judging.diagnosis.evidence import Evidence

HERE = os.getpid()
ENGINES = {"valve": "mutant:valve-no-flush", "clock": "mutant:clock-milliseconds"}
JUDGED_HERE: list[str] = []


def main(mode: str) -> None:
    """Judge, compare, print."""
    with patch.object(side_by_side, "judge_component", _killed if mode == "killed" else _judged):
        if mode == "beside-a-thread":
            end = threading.Event()
            threading.Thread(target=end.wait, daemon=True).start()
            _compare()
            end.set()
        elif mode == "raising":
            with patch.object(side_by_side, "judge_component", _raising):
                try:
                    _compare()
                except ZeroDivisionError:
                    print("raised; children:", len(active_children()))
        else:
            _compare()


def _to_judge() -> dict[str, tuple[Evidence, list[str]]]:
    """Evidence of both components, which can be judged once, and their rules."""
    adapters = {name: load_adapter(engine, {}) for name, engine in ENGINES.items()}
    return {
        name: (evidence_from(adapter, drawn(name, 150)), rules_judged_in(adapter, name))
        for name, adapter in adapters.items()
    }


def _compare() -> None:
    found = side_by_side.judge_components(_to_judge(), inf, 2)
    alone = {name: judge_component(*known) for name, known in _to_judge().items()}
    failing = {
        name: [rule for rule, one in judgement.rules.items() if one.standing == "fail"]
        for name, judgement in found.items()
    }
    print("judged:", *(name for name, rules in failing.items() if rules))
    print("the same:", found == alone)
    print("here:", *JUDGED_HERE)


def _judged(evidence: Evidence, *rest: object, **named: object) -> ComponentJudgement:
    if os.getpid() == HERE:
        JUDGED_HERE.append(evidence.component.name)
    return judge_component(evidence, *rest, **named)  # type: ignore[arg-type]


def _killed(evidence: Evidence, *rest: object, **named: object) -> ComponentJudgement:
    if os.getpid() != HERE and evidence.component.name == "clock":
        os.kill(os.getpid(), signal.SIGKILL)
    return _judged(evidence, *rest, **named)


def _raising(*_: object, **_named: object) -> ComponentJudgement:
    raise ZeroDivisionError


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
