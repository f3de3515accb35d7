"""Results in words: every view says the same thing in the same words, those of `tidegauge.words`."""

from html import unescape

import pytest
from msgspec.structs import replace
from page_reader import read
from report_samples import component_result, engine_error, fitted, property_result, results, rule, suspects

from tidegauge.commands.summary import Detail, print_summary
from tidegauge.wire.results import DeviationResult, ItemResult, Results, Suspect, Term
from tidegauge.words.conclusion import conclude
from tidegauge.words.diagnosis import diagnosis_words, differences_words, model_words, term_name, term_words
from tidegauge.words.evidence import (
    FLAKY,
    THIN,
    downstream_words,
    error_words,
    failing_words,
    setup_words,
    suspected_words,
)
from tidegauge.words.numbers import are, counted, duration, listed
from tidegauge.words.run import ADAPTER_NOTES, extent_words, left_out_words
from tidegauge.words.suspects import one_of_words
from tidegauge.words.verdicts import DEVIATION_STATUSES, OUTCOMES, number_words
from tidegauge_reports.compliance import html
from tidegauge_reports.machines import junit, markdown

ROOT = rule(1, "fail", suspected=True)
SUSPECT, OTHER = suspects(6, 7)
AFFECTED = rule(2, "fail", affected_by=["VALVE-1"])
CHANGING = rule(3, "fail", flaky="a race")
DEVIATION = DeviationResult(
    name="no-idleness",
    rules=["VALVE-5"],
    reason="version 3",
    link="https://example.org/7",
    status="unexpected-pass",
    explanation="absent in 3",
    shown=0,
    absent=3,
)
ITEM = ItemResult(id="valve-fuzz", outcome="timeout", scenarios=0, steps=0, duration_s=1, text="hung")
BUG = Term(
    name="valve-stalled",
    kind="mutant",
    rules=["VALVE-1"],
    ties=["valve_x=y"],
    sentence="It stalls.",
    bugs=["FLINK-1", "FLINK-2"],
)
SAMPLE = results([ROOT, AFFECTED, CHANGING, rule(4, thin=True), rule(5), SUSPECT, OTHER])
RUN = replace(
    SAMPLE,
    implementation=replace(SAMPLE.implementation, remark="It simulates."),
    deviations=[DEVIATION],
    items=[ITEM],
    errors=[engine_error()],
    components=[fitted("valve-stalled")],
    left_out={"more than the engine can do in the time": 136_606},
    properties=[property_result("fail", 4)],
    complete=False,
    exit_code=1,
)
EXAMPLE = replace(
    ROOT.counterexample,
    message="VALVE-1 (MUST) A title\nOn a valve with channels=2, times in ms unless stated otherwise:\n  -> step 1: idle",
)
NAMES = [f"valve-{letter}" for letter in "abcdefg"]
MANY = replace(
    RUN,
    components=[
        component_result(9, explained=9, model=fitted(*NAMES).model),
        replace(component_result(9, explained=9, model=[BUG]), component="splits"),
    ],
)
"""An engine with more differences than the diagnosis names."""


def views(run: Results, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """What each view says, as plain text on one line."""
    print_summary(run, [], Detail(all_of_it=True))
    texts = {
        "terminal": capsys.readouterr().out,
        "page": read(html.render(run)).text.replace(" .", "."),
        "job page": unescape(markdown.render(run)).replace("\u200b", ""),
        "build server": unescape(junit.render(run).decode()),
    }
    return {name: " ".join(text.split()) for name, text in texts.items()}


def test_all_views_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    told = views(RUN, capsys)
    for words in (
        error_words(engine_error()),
        suspected_words(ROOT),
        downstream_words(AFFECTED),
        f"{FLAKY}: a race",
        OUTCOMES["timeout"],
        diagnosis_words(RUN),
        one_of_words(SUSPECT),
    ):
        assert [name for name, text in told.items() if words not in text] == [], words
    model = model_words(fitted("valve-stalled"))
    assert [name for name, text in told.items() if model not in text] == ["page"], "the page has a table"
    for words in (
        extent_words(RUN),
        ADAPTER_NOTES,
        DEVIATION_STATUSES["unexpected-pass"],
        left_out_words(RUN)[1:],
        "kipped for time budget: 136,606 scenarios",
        THIN.partition(": ")[2],
    ):
        assert [name for name in ("terminal", "page", "job page") if words not in told[name]] == [], words
    headline = conclude(RUN).headline
    assert headline in told["page"]
    assert headline in told["job page"]
    assert headline in told["build server"]
    assert headline in told["terminal"]


def test_all_views_say_of_suspects_that_they_are_known_to_be_flaky(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = results([rule(1), *suspects(6, 7, flaky="a race")])
    told = views(run, capsys)
    assert [name for name, text in told.items() if f"{FLAKY}: a race" not in text] == []
    page = read(html.render(run))
    assert "S~ suspect, known to be flaky" in page.text
    assert "2 of them known to be flaky" in page.text
    assert "Skip to the first failure" not in page.text
    assert f"{FLAKY}: VALVE-6, VALVE-7." in conclude(run).remarks


def test_a_card_says_the_setup_and_how_many_scenarios_fail(capsys: pytest.CaptureFixture[str]) -> None:
    run = replace(RUN, rules=[replace(ROOT, counterexample=EXAMPLE)])
    page = views(run, capsys)["page"]
    assert f"{setup_words(EXAMPLE)}. {failing_words(run, 'valve')}" in page


def test_no_view_shows_an_identifier_in_place_of_words(capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in views(RUN, capsys).items():
        for identifier in ("unexpected-pass", "known_deviations", "not-run", "more than the engine can do"):
            assert identifier not in text, name


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (diagnosis_words(SAMPLE), ""),
        (
            diagnosis_words(RUN),
            "The engine behaves as the profile core with valve-stalled: this explains all 175 failing scenarios.",
        ),
        (
            diagnosis_words(replace(RUN, components=[fitted("valve-stalled", "valve-a", explained=170)])),
            "The engine behaves as the profile core with valve-stalled and valve-a: this explains 170 of 175 failing scenarios; "
            "5 remain unexplained.",
        ),
        (
            diagnosis_words(
                replace(
                    RUN,
                    components=[
                        component_result(9, explained=9, model=[*fitted("valve-a").model, BUG]),
                        component_result(9, explained=9, model=[BUG]),
                    ],
                )
            ),
            "The engine behaves as the profile core with FLINK-1 or FLINK-2 and valve-a: this explains all 18 failing scenarios.",
        ),
        (setup_words(EXAMPLE), "On a valve with channels=2, times in ms unless stated otherwise"),
        (failing_words(RUN, "valve"), "175 of 2,954 scenarios of the component valve fail"),
        (failing_words(RUN, "clock"), ""),
        (
            diagnosis_words(MANY),
            "The engine behaves as the profile core with 8 differences: this explains all 18 failing scenarios.",
        ),
        ("; ".join(differences_words(MANY)), f"valve: {', '.join(NAMES)}; splits: FLINK-1 or FLINK-2"),
        ("; ".join(differences_words(RUN)), ""),
        (
            diagnosis_words(replace(RUN, components=[component_result(9, gave_up=True)])),
            "Nothing that is known explains the 9 failing scenarios; the search for an explanation ended early "
            "(see --diagnose-steps).",
        ),
        (
            model_words(component_result(9, unexplained="valve-1", suspects=[Suspect("VALVE-2", 0.5)])),
            "valve: nothing that is known explains 9 failing scenarios; the smallest unexplained one is "
            "valve-1; suspects (plausibility, 0 to 1): VALVE-2 0.50",
        ),
        (term_name(BUG), "FLINK-1 or FLINK-2 (valve-stalled)"),
        (term_name(Term(name="split_none=idle", kind="policy", rules=[])), "split_none = idle"),
        (term_words(BUG), "It stalls. It breaks VALVE-1. As likely: valve_x=y."),
        (
            term_words(Term(name="valve.f: a -> b", kind="small-change", rules=["VALVE-1"])),
            "This reproduces the failures, but names no defect.",
        ),
        (counted(1, "property", "properties"), "1 property"),
        (counted(2300, "property", "properties"), "2,300 properties"),
        (counted(0, "rule"), "0 rules"),
        (are(1), "is"),
        (are(2), "are"),
        (listed(["A", "B"], 2), "A, B"),
        (listed(["A", "B", "C", "D"], 2), "A, B and 2 more"),
        (number_words(22, "pass"), "22 pass"),
        (number_words(1, "known deviation"), "1 known deviation"),
        (number_words(2, "known deviation"), "2 known deviations"),
        (duration(2.5), "2.5 s"),
        (duration(83), "1 min 23 s"),
        (duration(7500), "2 h 5 min"),
    ],
)
def test_numbers_and_lists(words: str, expected: str) -> None:
    assert words == expected
