"""The site: every link leads somewhere, every rule has its place, nothing is fetched, nothing foreign runs."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

import msgspec
import pytest
from conftest import Command
from markupsafe import escape
from msgspec.structs import replace
from page_reader import Reader, read
from report_samples import known_deviation, missing_minimum, results, rule
from site_samples import given, hostile

from tidegauge.components.registry import load_mutants
from tidegauge.detection.mutant_diagnosis import can_be_diagnosed
from tidegauge.judging.traceability import decided_in, statement_order, vectors_of
from tidegauge.mutants.known_bugs import load_known_bugs
from tidegauge.vectors.published import every_vector
from tidegauge.wire.results import encode_results
from tidegauge.words.diagnosis import NOT_OF_JOBS, OF_A_MUTANT, model_words, term_words
from tidegauge.words.verdicts import standing
from tidegauge_reports.compliance.html import render as render_report
from tidegauge_reports.shipped.diagnoses import fresh_diagnosis
from tidegauge_reports.site.addresses import (
    TEN_MINUTES,
    bug_page,
    chapter_page,
    mutant_page,
    rule_address,
    statement_address,
    vector_address,
)
from tidegauge_reports.site.defects import defects
from tidegauge_reports.site.dossier import dossier
from tidegauge_reports.site.engines import Engine, engine_cards, engines_with, shipped_engines
from tidegauge_reports.site.figures import vector_figure
from tidegauge_reports.site.pages import render_site
from tidegauge_reports.site.replacements import changed_lines
from tidegauge_reports.site.search.files import SEARCH_SCRIPTS
from tidegauge_reports.site.search.rule_words import rule_words
from tidegauge_reports.site.sources import source_title, sources_in_words
from tidegauge_reports.site.specification_text import chapter_head, inline_markup
from tidegauge_reports.site.surroundings import around_reports
from tidegauge_reports.site.ten_minutes import ASKED
from tidegauge_reports.site.traced import MOST, trace, traced_statements
from tidegauge_reports.site.vector_tables import vector_table
from tidegauge_reports.text import line_by_line, short
from tidegauge_spec import load_registry, load_statements, read_policies, read_profiles

RULES = load_registry().rules
HOSTILE = (
    "\"'><script>alert(1)</script><img src=x onerror=alert(2)>&amp;{{ 70707 * 7 }}\x00\x1b[31m\u202e\ud800"
)
LARGEST_PAGE = 430_000


def bare(text: str) -> str:
    """A text without spaces and backquotes: a page has spaces around links, and sets names apart."""
    return re.sub(r"[\s`]", "", text)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """The site with a run that is given."""
    return dict(render_site(engines_with([given()])))


@pytest.fixture(scope="module")
def site(pages: dict[str, str]) -> dict[str, Reader]:
    """The same, read."""
    return {name: read(page) for name, page in pages.items()}


def test_every_link_inside_the_site_leads_to_a_page_and_an_anchor(site: dict[str, Reader]) -> None:
    followed = 0
    for name, page in site.items():
        for link in page.links:
            if link.startswith("https://"):
                continue
            target, _, anchor = link.partition("#")
            place = normpath(join(dirname(name), target)) if target else name
            assert place in site, f"{name} leads to {link}"
            assert not anchor or anchor in site[place].ids, f"{name} leads to {link}"
            followed += 1
    assert followed > 5_000


def test_nothing_is_fetched_except_the_scripts_of_the_search(
    pages: dict[str, str], site: dict[str, Reader]
) -> None:
    scripts = {("search.html", name) for name in SEARCH_SCRIPTS}
    for name, page in site.items():
        for tag, attributes in page.elements:
            assert tag not in ("link", "img", "iframe", "object", "embed", "base"), name
            assert attributes.get("action", "search.html").removeprefix("../") == "search.html", name
            assert "src" not in attributes or (name, attributes["src"]) in scripts, name
            assert not [key for key in attributes if key.startswith("on")], name
            policy = attributes.get("http-equiv")
            assert policy is None or "default-src 'none'" in (attributes["content"] or ""), name
        assert not re.search(r"@import|url\(", pages[name]), name
        assert [tag for tag, found in page.elements if found.get("http-equiv")], name


def test_every_rule_has_its_anchor_its_texts_and_its_lines_or_a_reason(site: dict[str, Reader]) -> None:
    for found in RULES.values():
        page, _, anchor = rule_address(found.id).partition("#")
        assert anchor == found.id
        assert found.id in site[page].ids
        assert found.title in site[page].text
        told = dossier(found, ())
        assert bool(told.reference) != bool(told.without_reference), found.id
        for place in told.reference:
            module, _, number = place.partition(":")
            assert f"reference/{module}.html#L{number}" in site[page].links
        if not told.reference:
            assert told.without_reference in site[page].text
    assert not dossier(RULES["JOB-2"], ()).reference
    assert "event logs of whole jobs" in dossier(RULES["JOB-2"], ()).without_reference
    assert dossier(RULES["GEN-7"], ()).without_reference.startswith("not testable")


def test_the_lines_that_cite_are_marked_and_no_others(site: dict[str, Reader]) -> None:
    marked = {
        f"{name.removeprefix('reference/').removesuffix('.html')}:{(found['id'] or '')[1:]}"
        for name, page in site.items()
        if name.startswith("reference/")
        for found in page.with_class("cites")
    }
    cited = {place for found in RULES for place in decided_in(found)}
    assert marked - cited == {"citation.py:1"}, "the line that explains citing"
    assert cited <= marked


def test_every_vector_wrong_engine_bug_policy_and_profile_has_its_place(site: dict[str, Reader]) -> None:
    chapters = {component: chapter.prefix.lower() for component, chapter in load_registry().chapters.items()}
    for vector in every_vector():
        component = next(
            name for name in chapters if f'"component":"{name}"' in msgspec.json.encode(vector).decode()
        )
        page, _, anchor = vector_address(vector.id, component).partition("#")
        assert anchor in site[page].ids
        assert vector.reason in site[page].text
    listed = site["mutants.html"]
    for place in (*map(mutant_page, load_mutants()), *map(bug_page, load_known_bugs())):
        assert place in site
        assert place in listed.links
    assert set(read_policies()) <= site["policies.html"].ids
    assert {f"profile-{name}" for name in read_profiles()} <= site["policies.html"].ids


def test_each_rule_is_drawn_from_its_first_golden_vector(pages: dict[str, str]) -> None:
    for found in RULES.values():
        page, _, _ = rule_address(found.id).partition("#")
        article = (
            pages[page].partition(f'<article class="rule" id="{found.id}"')[2].partition("</article>")[0]
        )
        shown = vectors_of(found.id)
        assert article.count("<figure>") == min(1, len(shown)), found.id
        if shown:
            table = vector_table(shown[0])
            assert str(escape(shown[0].title)) in article
            assert article.count("Step 1: ") == 1
            assert f"; expected: {short(table.expected[0].outputs[0], 300)}." in unescape(article), found.id


def test_the_ten_minutes_show_golden_vectors_and_lead_to_every_chapter(
    site: dict[str, Reader], pages: dict[str, str]
) -> None:
    page = pages[TEN_MINUTES]
    figures = page.split("<figure>")[1:]
    vectors = {vector.id: vector for vector in every_vector()}
    shown = [re.search(r"Timeline of the history ([^<]*)<", figure) for figure in figures]
    names = [found[1] for found in shown if found]
    assert len(names) == len(figures) >= 10
    assert all(str(vector_figure(vectors[name])) in page for name in names)
    assert names[-3:] == list(ASKED)
    assert not set(ASKED) & set(names[:-3]), "what the reader predicts is shown nowhere else on the page"
    assert {chapter_page(component) for component in load_registry().chapters} <= set(site[TEN_MINUTES].links)
    assert "Proposed and never built" in site[TEN_MINUTES].text


def test_a_figure_says_times_of_a_day_as_people_do() -> None:
    vectors = {vector.id: vector for vector in every_vector()}
    drawn = vector_figure(vectors["generator/no-data-no-watermark"])
    labels = drawn.partition("</desc>")[2]
    for said in ("11:44<", "watermark 11:43:59.999<", "+60 min<"):
        assert said in labels
    assert "42240000" not in labels
    assert ">5<" in vector_figure(vectors["valve/FLINK-7728-ahead-first"]), "5 ms is no time of a day"


def test_sources_are_named_by_document_and_section(site: dict[str, Reader]) -> None:
    said = [
        (source.title, source.numbers) for source in sources_in_words(("A19", "A20", "E45", "FLINK-7728"))
    ]
    assert said == [
        ("FLIP-182, Proposed changes", ("A19", "A20")),
        ("Watermark essay, Late watermarks", ("E45",)),
        ("FLINK-7728", ("FLINK-7728",)),
    ]
    for name in load_statements():
        assert "," in source_title(name)
    assert "Watermark essay, Late watermarks" in site["valve.html"].text
    assert "traceability.html#E45" in site["valve.html"].links


@pytest.mark.parametrize(
    ("wanted", "rule_id"),
    [
        ("FLINK-40475", "VALVE-15"),
        ("withIdleness", "IDLE-1"),
        ("withIdleness", "GEN-11"),
        ("valve-3", "VALVE-3"),
        ("valve/FLINK-40475-flush", "VALVE-15"),
    ],
)
def test_the_search_knows_bugs_vectors_and_the_names_of_engines(wanted: str, rule_id: str) -> None:
    assert wanted.lower() in rule_words(dossier(RULES[rule_id], ())).lower()


def test_a_vector_shows_its_steps_in_words_and_what_comes_out_under_which_policies() -> None:
    vectors = {vector.id: vector for vector in every_vector()}
    table = vector_table(vectors["valve/essay-one-upstream"])
    assert table.setup == "a valve with channels=1"
    assert table.steps[0].startswith("channel 0: watermark")
    assert [set(column.profiles) for column in table.expected] == [set(read_profiles())]
    two = vector_table(vectors["splits/resumed-at-the-tick"])
    shown = {column.profiles: column.outputs[-1] for column in two.expected if column.profiles}
    assert shown == {("core", "spark-4"): "ACTIVE", ("flink-2.3",): "nothing"}


def test_a_wrong_engine_shows_the_lines_it_changes() -> None:
    for mutant in load_mutants().values():
        for change, (right, wrong) in zip(changed_lines(mutant), mutant.changed_texts, strict=True):
            before = "\n".join(text for sign, text in change.lines if sign in " -")
            after = "\n".join(text for sign, text in change.lines if sign in " +")
            assert right.strip("\n") in before
            assert wrong.strip("\n") in after or not wrong.strip()
            assert before != after


def test_a_mutant_shows_its_rules_its_bugs_and_its_diagnosis(site: dict[str, Reader]) -> None:
    page = site["mutants/valve-guarded-flush.html"]
    assert {"../valve.html#VALVE-15", "../known-bugs/FLINK-40475a.html"} <= set(page.links)
    told = page.text.partition("Diagnosis of an engine that behaves alike")[2]
    assert "and says: valve behaves as FLINK-40475a (valve-guarded-flush): explains" in told
    assert "As likely: valve_flush_when_all_idle=last-channel-at-output." in told
    assert "Replay: tidegauge run --adapter mutant:valve-guarded-flush" in told


def test_every_mutant_and_every_bug_with_one_says_what_its_diagnosis_is(site: dict[str, Reader]) -> None:
    for name, defect in defects().items():
        told = site[mutant_page(name)].text
        assert OF_A_MUTANT in told
        if defect.diagnosis is None:
            assert not can_be_diagnosed(defect.mutant)
            assert NOT_OF_JOBS in told
            continue
        result = defect.diagnosis.result
        assert model_words(result) in told
        for term in result.model:
            assert bare(term_words(term)) in bare(told), name
            scenario = line_by_line(defect.diagnosis.scenarios.get(term.name, "")).unescape()
            assert " ".join(scenario.split()) in told
        for bug in defect.bugs:
            assert bug_page(bug.id) in site
    for bug in load_known_bugs().values():
        told = site[bug_page(bug.id)].text
        assert told.count(OF_A_MUTANT) == len(bug.mutants)
        assert bool(bug.mutants) or "In the kit" in told


def test_a_mutant_without_a_fresh_diagnosis_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = load_mutants()["valve-no-flush"]
    assert fresh_diagnosis(mutant) is not None
    monkeypatch.setattr("tidegauge_reports.shipped.diagnoses.diagnosis_digest", lambda component: "other")
    defect = defects()[mutant.name]
    assert defect.diagnosis is None
    assert "tidegauge explain valve-no-flush" in defect.without_diagnosis


def test_the_index_shows_who_stands_how(site: dict[str, Reader]) -> None:
    index = site["index.html"]
    for expected in (
        "sample-engine 4.2: fail",
        "sample-engine 4.2: known deviation",
        "sample-engine 4.2: pass in the reading of the profile",
        "sample-engine 4.2: not in this run",
        "Tidegauge reference 0.1.0: pass",
        "tidegauge-spark on PySpark 4.3.0: pass",
    ):
        assert expected in index.text or any(found.get("title") == expected for _, found in index.elements)
    assert "engines/run-1.html#VALVE-2" in index.links
    assert "engines/spark.html#VALVE-2" in index.links
    assert "FAILED: 1 of 5 rules" in index.text


def test_an_engine_is_headed_by_its_product() -> None:
    products = [card.product for card in engine_cards(engines_with([given()]))]
    assert products[0] == "sample-engine 4.2"
    assert {
        "Apache Beam Java 2.73.0, direct runner",
        "Apache Beam Python 2.77.0",
        "Apache Flink 2.3.0",
        "Apache Spark 4.3.0",
        "Apache Spark 4.3.0 reading through tidegauge-spark",
        "Bytewax 0.21.1",
        "Hazelcast Jet 5.7.0",
        "Kafka Streams 4.4.0",
        "Tidegauge reference 0.1.0",
        "tidegauge-spark on PySpark 4.3.0",
        "timely dataflow 0.32.0",
    } == set(products[1:])


def test_a_card_has_both_readings_of_a_product_and_tells_them_apart() -> None:
    cards = {card.product: card for card in engine_cards(shipped_engines())}
    own, core = cards["Apache Flink 2.3.0"].readings
    assert (own.reading, own.kind) == ("own profile flink-2.3", "own")
    assert own.headline.startswith("Conforms to flink-2.3 within its shape: all")
    assert (core.reading, core.kind) == ("profile core", "fails")
    assert {own.name, core.name} == {"Apache Flink 2.3.0, flink-2.3", "Apache Flink 2.3.0, core"}
    (reference,) = cards["Tidegauge reference 0.1.0"].readings
    assert (reference.kind, reference.headline) == ("conforms", reference.conclusion.headline)
    assert cards["Bytewax 0.21.1"].has_core
    assert not cards["Apache Spark 4.3.0"].has_core


def test_a_rule_shows_verdict_layer_and_reason(site: dict[str, Reader]) -> None:
    text = site["valve.html"].text
    assert "sample-engine 4.2 : fail in-process, 1,002 scenarios reason of rule 2" in text
    assert "sample-engine 4.2 : known deviation in-process, 1,003 scenarios known for long" in text
    assert "pass streaming," in text


def test_what_a_run_and_the_specification_disagree_on_is_said(site: dict[str, Reader]) -> None:
    traced = trace(engines_with([given()]))
    by_name = {row.name: row for row in traced.rules}
    assert [row.name for row in traced.unknown] == ["OLD-1"]
    assert {line.name: line.current for line in by_name["VALVE-1"].lines}["valve.py:1"] is False
    assert by_name["VALVE-1"].exercised[0][0] is not None
    assert by_name["VALVE-1"].exercised[0][0].scenarios == 1001
    assert by_name["VALVE-5"].exercised[0] == (None, "")
    assert by_name["GEN-7"].never_exercised
    assert not by_name["JOB-2"].never_exercised
    text = site["traceability.html"].text
    assert "OLD-1 : no rule of specification 1.0 has this id" in text
    assert "valve.py:1 (not in this version)" in text
    assert "valve/gone (not in this version)" in text
    assert "Never exercised by any of these runs: BACKLOG-12 , GEN-7 ." in text
    assert "not in this run" in text


def test_a_run_that_names_very_many_unknown_rules_is_cut() -> None:
    many = results([rule(number, id=f"OLD-{number}") for number in range(1, 201)])
    traced = trace([Engine("run-1", "x", many, False)])
    assert (len(traced.unknown), traced.more_unknown) == (MOST, 200 - MOST)
    lines = results([rule(1, reference=[f"valve.py:{number}" for number in range(1_000_000, 1_000_300)])])
    (row,) = (row for row in trace([Engine("run-1", "x", lines, False)]).rules if row.name == "VALVE-1")
    assert (len(row.lines), row.left_out) == (MOST, 300 - MOST)


def test_every_source_of_every_rule_is_a_row_in_order(site: dict[str, Reader]) -> None:
    listed = [statement.name for statement in traced_statements()]
    named = {source for found in RULES.values() for source in found.sources}
    unstated = {name for name, one in load_statements().items() if one.why_not}
    assert set(listed) == named | unstated
    assert listed == sorted(listed, key=statement_order)
    assert (
        listed.index("E9") < listed.index("E46")
        if "E9" in listed
        else listed.index("E8") < listed.index("E46")
    )
    for name in listed:
        page, _, anchor = statement_address(name).partition("#")
        assert anchor in site[page].ids


def test_names_in_texts_are_links_and_nothing_in_a_text_is_markup() -> None:
    assert inline_markup("see VALVE-5 and `initial_watermark`", "../") == (
        'see <a href="../valve.html#VALVE-5">VALVE-5</a> and '
        '<a href="../policies.html#initial_watermark"><code>initial_watermark</code></a>'
    )
    assert '<a href="clock.html">CLOCK</a>' in inline_markup("chapter CLOCK, VALVE-99 and TIME", "")
    assert inline_markup("VALVE-99, TIME", "") == "VALVE-99, TIME"
    assert inline_markup("<b onclick=x>[a](javascript:alert(1))", "") == (
        "&lt;b onclick=x&gt;[a](javascript:alert(1))"
    )
    assert inline_markup("[VALVE-5](https://example.org)", "") == '<a href="https://example.org">VALVE-5</a>'


@pytest.mark.parametrize(
    "chapter", load_registry().chapters.values(), ids=lambda chapter: str(chapter.prefix)
)
def test_a_chapter_begins_with_its_prose_and_ends_before_its_first_rule(chapter: Any) -> None:
    head = chapter_head(chapter.rules[0].file, "")
    assert head.startswith("<p>")
    assert "Component:" not in head
    assert "Uses:" not in head
    assert chapter.rules[0].sentence[:40] not in head


def test_how_a_rule_stands() -> None:
    assert standing(rule(1)).kind == "pass"
    assert standing(rule(1, "fail")).kind == "fail"
    deviating = standing(known_deviation(1, "so it is", policy="p"))
    assert (deviating.kind, deviating.sign, deviating.reason) == ("known_deviations", "F†", "so it is")
    assert (deviating.place, standing(rule(1, "fail")).place) == ("", "root")
    assert standing(rule(1, policy="p")).sign == "P*"
    assert standing(rule(1, "not-tested")).sign == "?"
    assert standing(rule(1, "error")).sign == "E"
    assert standing(rule(1, "fail", affected_by=["VALVE-2"])).sign == "(F)"


def test_failures_come_first_in_the_counts() -> None:
    engine = Engine("run-1", "x", given(), False)
    counts = [
        (at.kind, count)
        for at, count in engine.counts(["VALVE-1", "VALVE-2", "VALVE-3", "VALVE-4", "VALVE-5"])
    ]
    assert counts == [("fail", 1), ("known_deviations", 1), ("pass", 2), ("absent", 1)]


def test_a_pass_links_the_mutants_that_it_excludes(site: dict[str, Reader]) -> None:
    report = site["engines/run-1.html"]
    assert "../mutants/valve-no-flush.html" in report.links
    assert "of another version" in report.text
    assert not [link for link in report.links if "another" in link]


@pytest.mark.slower
def test_the_same_runs_give_the_same_bytes(pages: dict[str, str]) -> None:
    assert dict(render_site(engines_with([given()]))) == pages


def test_the_site_is_small(pages: dict[str, str]) -> None:
    own = sum(len(page.encode()) for name, page in pages.items() if not name.startswith("engines/"))
    assert own < 16_000_000
    assert not {name: size for name, page in pages.items() if (size := len(page.encode())) > LARGEST_PAGE}
    assert max(len(pages[mutant_page(name)].encode()) for name in load_mutants()) < 34_000


@pytest.mark.parametrize("failures", [20, len(RULES)])
def test_the_page_of_a_run_with_many_failures_is_small(failures: int) -> None:
    (reference, *_) = shipped_engines()
    fails = {"verdict": "fail", "reason": "", "excludes": [], "counterexample": missing_minimum()}
    judged = reference.results.rules
    rules = [*(replace(found, **fails) for found in judged[:failures]), *judged[failures:]]
    around = around_reports({name: dossier(found, ()) for name, found in RULES.items()})
    page = render_report(replace(reference.results, rules=rules), around)
    assert len(page.encode()) < LARGEST_PAGE
    shown = read(page)
    assert set(RULES) <= shown.ids
    assert 2 < page.count("<svg") < failures
    cut = re.search(r"(\d+) failures are shown without all details", shown.text)
    assert cut
    assert int(cut[1]) == failures - page.count("<svg")
    others = re.search(r"(\d+) rules without a counterexample are shown in brief", shown.text)
    assert bool(others) == (failures < len(RULES))
    assert page.count(" in full</a>") == page.count('class="rule brief')


def test_the_report_of_a_run_leaves_to_the_chapters_what_they_say(site: dict[str, Reader]) -> None:
    found = RULES["VALVE-5"]
    told = site["engines/reference.html"]
    assert f"../{rule_address(found.id)}" in told.links
    assert found.sentence[:40] in told.text
    for text in (found.intent, found.check):
        assert bare(text)[:60] not in bare(told.text)
        assert bare(text)[:60] in bare(site["valve.html"].text)


def test_the_report_of_a_run_says_what_this_version_of_the_rules_does_not(site: dict[str, Reader]) -> None:
    told = site["engines/run-1.html"]
    assert "Intent of rule 1." in told.text
    assert f"../{rule_address('VALVE-1')}" not in told.links


@pytest.mark.slower
def test_hostile_results_are_shown_as_text() -> None:
    for name, page in render_site(engines_with([hostile(HOSTILE)])):
        read(page)
        assert "<script>alert" not in page, name
        assert "<img src=x" not in page, name
        assert "494949" not in page.partition("<title>")[2].partition("</title>")[0], name
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e\ud800-\udfff]", page), name


@pytest.mark.slower
def test_megabytes_in_results_are_cut() -> None:
    without = sum(len(page.encode()) for _, page in render_site(shipped_engines()))
    pages = dict(render_site(engines_with([hostile("<b>" + "x" * 1_000_000)])))
    assert sum(len(page.encode()) for page in pages.values()) < without + 2_000_000
    assert all("x" * 10_000 not in page for page in pages.values())


def test_the_command_writes_the_site(tidegauge_here: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_bytes(encode_results(given()))
    ended = tidegauge_here("site", "--out", "pages", "mine.json")
    assert (ended.returncode, ended.stderr) == (0, "")
    written = {
        path.relative_to(tmp_path / "pages").as_posix() for path in (tmp_path / "pages").rglob("*.html")
    }
    assert {"index.html", "valve.html", "reference/valve.py.html", "vectors/valve.html"} <= written
    assert {"engines/run-1.html", "engines/reference.html", "engines/spark.html"} <= written
    assert f"{len(written)} pages" in ended.stdout
    assert "sample-engine" in (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("absent.json",), "absent.json: No such file or directory"),
        (("cut.json",), "cut.json is cut off or not JSON"),
        ((), "output folder file cannot be written"),
    ],
)
def test_bad_input_is_one_line(
    tidegauge_here: Command, tmp_path: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    (tmp_path / "cut.json").write_bytes(encode_results(given())[:500])
    (tmp_path / "file").write_text("", encoding="utf-8")
    ended = tidegauge_here("site", "--out", "file" if not arguments else "pages", *arguments)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert complaint in ended.stderr
    assert not (tmp_path / "pages").exists()


def test_runs_that_are_given_come_before_the_shipped_ones_and_have_pages_of_their_own() -> None:
    engines = engines_with([given(), results([], implementation=given().implementation)])
    assert [engine.key for engine in engines[:2]] == ["run-1", "run-2"]
    assert engines[2:] == shipped_engines()
    assert len({engine.key for engine in engines}) == len(engines)
