"""What a run says on the terminal: the verdict first, little of it, and all of it on request."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from report_samples import results, rule

from tidegauge.commands.summary import Detail, print_summary

FAILING = [rule(number, "fail") for number in range(1, 8)]


def test_the_verdict_comes_first_and_the_report_last(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(results([rule(1, "fail"), rule(2)]), [Path("out/report.html")])
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "FAILED: 1 of 2 rules"
    assert said[-1] == "report: out/report.html"


def test_five_failures_are_printed_and_the_others_named(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(results([*FAILING, rule(8)]), [])
    said = capsys.readouterr().out
    assert said.count("Replay: ") == 5
    assert "2 more failures, see the report (or -v): VALVE-6, VALVE-7\n" in said


def test_all_failures_and_all_rules_are_printed_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(results([*FAILING, rule(8)]), [], Detail(all_of_it=True))
    said = capsys.readouterr().out
    assert said.count("Replay: ") == 7
    assert "more failures" not in said
    assert [line.split()[:2] for line in said.splitlines() if line.startswith("VALVE-8 ")] == [
        ["VALVE-8", "pass"]
    ]
    assert max(map(len, said[said.index("rule ") :].splitlines()[:9])) <= 80


def test_the_failure_that_was_shown_during_the_run_is_not_printed_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    failing = rule(2, "fail")
    assert failing.counterexample is not None
    shown = failing.counterexample.message.partition("\nReplay: ")[0]
    print_summary(results([failing, rule(1)]), [], Detail(shown=shown))
    said = capsys.readouterr().out
    assert ": the first difference above\n" in said
    assert "expected:" not in said
    assert "Replay: " in said
    print_summary(results([failing, rule(1)]), [], Detail(shown=shown.replace("VALVE-2 ", "VALVE-9 ")))
    said = capsys.readouterr().out
    assert ": the first difference above, there under VALVE-9\n" in said
    assert "expected:" not in said
    print_summary(results([failing, rule(1)]), [], Detail(shown="VALVE-9 (MUST) x\nOn a clock: y\nCheck z"))
    assert shown in capsys.readouterr().out


def test_rules_without_a_verdict_are_grouped_by_their_reason(capsys: pytest.CaptureFixture[str]) -> None:
    reason = "no scenario decides them"
    print_summary(results([rule(number, "not-tested", reason=reason) for number in (1, 2, 4)]), [])
    assert f"VALVE-1, VALVE-2, VALVE-4 not tested: {reason}\n" in capsys.readouterr().out


@pytest.mark.slower
def test_a_run_shows_its_first_failure_once(tidegauge: Command) -> None:
    mutant = ("--adapter", "mutant:valve-guarded-flush", "--component", "valve", "--budget", "smoke")
    ended = tidegauge("run", *mutant, "-n", "1")
    assert ended.returncode == 1, ended.stderr
    first, _, summary = ended.stdout.partition("\n\n")
    assert first.startswith("First difference, in valve-")
    assert "expected: watermark 2, then IDLE" in first
    assert summary.startswith(
        "FAILED: 1 of 23 rules\nDiagnosis: The engine behaves as the profile core with FLINK-40475a"
    )
    assert ended.stdout.count("-> step 7") == 1
