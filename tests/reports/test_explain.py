"""`tidegauge explain`: all that is known about a rule, in a terminal."""

from __future__ import annotations

import pytest
from conftest import Command
from report_samples import known_deviation, results, rule

from tidegauge.mutants.known_bugs import load_known_bugs
from tidegauge.wire.results import Results
from tidegauge_reports.commands.explain import print_dossier
from tidegauge_reports.site.dossier import dossier
from tidegauge_reports.site.engines import Engine
from tidegauge_spec import load_registry, load_statements


def explained(name: str, run: Results, capsys: pytest.CaptureFixture[str]) -> str:
    """What is printed about a rule, with single spaces."""
    print_dossier(dossier(load_registry().rules[name], [Engine("run-1", "mine", run, False)]))
    return " ".join(capsys.readouterr().out.split())


def test_wrong_engines_and_the_bugs_they_stand_for_are_named(tidegauge_here: Command) -> None:
    text = " ".join(tidegauge_here("explain", "VALVE-15").stdout.split())
    wrong = text.partition("Mutants that break it")[2]
    assert "mutant:valve-guarded-flush The valve flushes only if the channel" in wrong
    assert "known bug FLINK-40475a (Apache Flink): The flush of an idle valve is skipped" in wrong
    assert "https://github.com/apache/flink/pull/29024" in wrong


def test_bugs_that_no_wrong_engine_stands_for_are_named_too(tidegauge_here: Command) -> None:
    text = " ".join(tidegauge_here("explain", "CLOCK-3").stdout.split())
    assert [bug.id for bug in dossier(load_registry().rules["CLOCK-3"], ()).other_bugs] == ["FLINK-40234"]
    assert "FLINK-40234 (Apache Flink)" in text.partition("Other known bugs that it is about")[2]


def test_the_shipped_verdicts_are_printed_with_version_and_date(tidegauge_here: Command) -> None:
    text = " ".join(tidegauge_here("explain", "VALVE-3").stdout.split())
    verdicts = text.partition("Verdicts of the shipped engines")[2]
    for engine in ("Tidegauge reference 0.1.0", "tidegauge-spark on PySpark 4.3.0"):
        told = verdicts.partition(f"{engine}: ")[2]
        assert told.startswith("pass, 20")
        assert "version 0.1.0, budget default, profile core" in told
        assert "exercised in" in told


def test_a_failing_engine_and_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    text = explained("VALVE-2", results([rule(2, "fail")]), capsys)
    assert "mine: fail, 2026-01-01, version 0.1.0" in text
    assert "in-process, exercised in 1,002 scenarios reason of rule 2" in text


def test_a_known_deviation_is_no_plain_pass(capsys: pytest.CaptureFixture[str]) -> None:
    text = explained("VALVE-2", results([known_deviation(2, "it never [b]idles")]), capsys)
    assert "mine: known deviation," in text
    assert "it never [b]idles" in text


def test_a_rule_that_a_run_does_not_have(capsys: pytest.CaptureFixture[str]) -> None:
    assert "mine: not in this run," in explained("VALVE-2", results([]), capsys)


def test_a_rule_without_reference_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    text = explained("JOB-2", results([]), capsys)
    assert (
        "Reference no line of the reference implements it: it is judged by the event logs of whole jobs"
        in text
    )


def test_a_statement_names_its_document_and_how_engines_stand(tidegauge_here: Command) -> None:
    text = tidegauge_here("explain", "E46").stdout
    assert text.startswith("E46 of Essay")
    assert load_statements()["E46"].text in " ".join(text.split())
    assert "VALVE-8 (MUST, valve)" in text
    assert "Tidegauge reference 0.1.0: pass, tidegauge-spark on PySpark 4.3.0: pass, " in " ".join(
        text.split()
    )


def test_an_issue_names_the_bug(tidegauge_here: Command) -> None:
    text = " ".join(tidegauge_here("explain", "FLINK-7721").stdout.split())
    assert text.startswith("FLINK-7721 is a known bug: FLINK-7721 (Apache Flink): The valve computes MAX")
    assert "VALVE-11 (MUST, valve)" in text


@pytest.mark.slower
def test_a_known_bug_shows_what_the_diagnosis_of_it_looks_like(tidegauge_here: Command) -> None:
    text = " ".join(tidegauge_here("explain", "FLINK-40475a").stdout.split())
    told = text.partition("mutant:valve-guarded-flush (valve)")[2].partition("Diagnosis of an engine")[2]
    assert "valve behaves as FLINK-40475a (valve-guarded-flush): explains" in told
    assert "It breaks VALVE-15. As likely: valve_flush_when_all_idle=last-channel-at-output." in told
    assert "then IDLE got: IDLE" in told, "the smallest scenario that shows it"


def test_a_mutant_is_explained_by_its_name(tidegauge_here: Command) -> None:
    text = " ".join(tidegauge_here("explain", "mutant:clock-system-time").stdout.split())
    assert text.startswith("mutant:clock-system-time (clock)")
    assert "clock behaves as FLINK-35886 (clock-system-time): explains" in text
    text = " ".join(tidegauge_here("explain", "job-no-drift").stdout.split())
    assert "No model is fitted to whole jobs" in text


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("E999", "unknown rule, statement, bug, mutant or policy 'E999'"),
        ("VALV-3", "did you mean 'VALVE-3'?"),
        ("valve-no-flus", "did you mean 'valve-no-flush'?"),
        ("VALVE-99", "There is no rule VALVE-99;"),
        ("FLINK-37204", f"FLINK-37204 is not among the {len(load_known_bugs())} known bugs;"),
        ("xyzzyqq", "unknown rule, statement, bug, mutant or policy 'xyzzyqq'"),
    ],
)
def test_an_unknown_name_is_refused_in_one_line(tidegauge_here: Command, words: str, complaint: str) -> None:
    ended = tidegauge_here("explain", *words.split())
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert complaint in ended.stderr
    assert "FLINK-3714" not in ended.stderr


def test_other_words_are_searched_for_with_the_ranking_of_the_site(tidegauge_here: Command) -> None:
    text = " ".join(tidegauge_here("explain", "late", "data", "dropped").stdout.split())
    first, second = text.index("Rows are dropped as late (symptom,"), text.index("WIN-12 Late records go to")
    assert first < second
    assert "guides/rows-dropped-as-late.html" in text
    assert "(rule, win.html#WIN-4)" in " ".join(tidegauge_here("explain", "allowedLateness").stdout.split())


def test_the_results_of_misspelled_words_name_the_corrected_words(tidegauge_here: Command) -> None:
    misspelled = " ".join(tidegauge_here("explain", "wattermark", "idelness").stdout.split())
    heading = "Nothing contains 'wattermark idelness'; results for 'watermark idleness': "
    assert misspelled.startswith(heading)
    correct = " ".join(tidegauge_here("explain", "watermark", "idleness").stdout.split())
    assert misspelled.removeprefix(heading) == correct.partition("Search results: ")[2] != ""


def test_a_policy_and_a_profile_are_explained(tidegauge: Command) -> None:
    policy = tidegauge("explain", "clock_backwards").stdout
    assert "clamped: no shipped profile" in policy
    assert "refused: core, flink-2.3, spark-4" in policy
    assert "CLOCK-5 (MUST, clock)" in policy
    assert "initial_watermark = epoch (core: none)" in tidegauge("explain", "SPARK-4").stdout
