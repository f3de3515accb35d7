"""Judge two components in forked processes and again in this process, and compare the results.

`python judged_in_forks.py [killed | raising | beside-a-thread]` is a program of its own, because a process
with other threads is not forked. It prints the components with accused rules, whether the results are the
same, and what this process judged.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from functools import partial
from multiprocessing import active_children

from component_scenarios import drawn
from judged import evidence_from, rules_judged_in

from tidegauge.engine.loading import load_adapter
from tidegauge.judging.diagnosis.component_judgement import ComponentJudgement, judge_evidence
from tidegauge.judging.diagnosis.side_by_side import side_by_side

HERE = os.getpid()
ENGINES = {"valve": "mutant:valve-no-flush", "clock": "mutant:clock-milliseconds"}
JUDGED_HERE: list[str] = []


def main(mode: str) -> None:
    """Judge, compare, print."""
    if mode == "beside-a-thread":
        end = threading.Event()
        threading.Thread(target=end.wait, daemon=True).start()
        _compare(mode)
        end.set()
    elif mode == "raising":
        try:
            _compare(mode)
        except ZeroDivisionError:
            print("raised; children:", len(active_children()))
    else:
        _compare(mode)


def _compare(mode: str) -> None:
    work = {name: partial(_judged, name, mode) for name in ENGINES}
    found = side_by_side(work, list(ENGINES).index, 2)
    here = list(JUDGED_HERE)
    alone = {name: _judged(name, "") for name in ENGINES}
    accusing = {
        name: [rule for rule, one in judgement.rules.items() if one.standing in ("fail", "suspect")]
        for name, judgement in found.items()
    }
    print("judged:", *(name for name, rules in accusing.items() if rules))
    print("the same:", found == alone)
    print("here:", *here)


def _judged(name: str, mode: str) -> ComponentJudgement:
    if mode == "raising":
        raise ZeroDivisionError
    if mode == "killed" and os.getpid() != HERE and name == "clock":
        os.kill(os.getpid(), signal.SIGKILL)
    if os.getpid() == HERE:
        JUDGED_HERE.append(name)
    adapter = load_adapter(ENGINES[name], {})
    return judge_evidence(evidence_from(adapter, drawn(name, 150)), rules_judged_in(adapter, name))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
