"""`tidegauge matrix`: rules by engines, as a page, a text and a picture."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from markdown_it import MarkdownIt
from matrix_samples import engine, four, run
from page_reader import read
from report_samples import results, rule

from tidegauge.wire.implementation import Implementation
from tidegauge.wire.results import DeviationResult, Results, encode_results, read_results
from tidegauge_reports.matrix import html, markdown, picture, verdict_table
from tidegauge_reports.matrix.columns import Run, columns_of
from tidegauge_reports.matrix.table import Matrix, build_matrix

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "\"'><script>alert(1)</script> [x](javascript:alert(2)) |\n| *a* {{ 7*7 }}\x00\x1b[31m\u202e\ud800"


def test_columns_are_called_differently() -> None:
    same = results([rule(1)])
    tester = results([rule(1)], implementation=engine(options={"engine": "tester"}))
    plain = results([rule(1)], implementation=engine())
    assert [one.label for one in columns_of([Run(tester), Run(plain)])] == [
        "sample-engine 4.2 · core · engine=tester",
        "sample-engine 4.2 · core",
    ]
    labels = [one.label for one in columns_of([Run(same), Run(results([rule(1)], profile="spark-4"))])]
    assert labels == ["sample-engine 4.2 · core", "sample-engine 4.2 · spark-4"]
    labels = [one.label for one in columns_of([Run(same), Run(results([rule(1)], seed=7))])]
    assert labels == ["sample-engine 4.2 · core · seed 20260101", "sample-engine 4.2 · core · seed 7"]
    labels = [one.label for one in columns_of([Run(same), Run(same), Run(same)])]
    assert labels == [
        "sample-engine 4.2 · core", "sample-engine 4.2 · core · run 2", "sample-engine 4.2 · core · run 3"
    ]  # fmt: skip


def test_rules_are_in_the_order_of_the_largest_run_and_none_is_lost() -> None:
    part = run(rule(9), rule(2))
    whole = run(*(rule(number) for number in range(1, 5)))
    matrix = build_matrix([part, whole])
    assert [row.id for row in matrix.rows] == ["VALVE-1", "VALVE-2", "VALVE-3", "VALVE-4", "VALVE-9"]
    assert [[cell is not None for cell in row.cells] for row in matrix.rows] == [
        [False, True], [True, True], [False, True], [False, True], [True, False]
    ]  # fmt: skip


def test_where_engines_differ_and_where_only_their_claims_do() -> None:
    matrix = four()
    assert [chapter.name for chapter in matrix.chapters] == ["ALIGN", "VALVE"]
    assert [row.id for row in matrix.rows if row.differs] == [
        "ALIGN-1", "ALIGN-2", "VALVE-1", "VALVE-2", "VALVE-3", "VALVE-4"
    ]  # fmt: skip
    assert [row.id for row in matrix.rows if row.contested] == ["VALVE-1", "VALVE-2", "VALVE-3", "VALVE-4"]
    valve = matrix.chapters[1]
    assert valve.counts(1) == {"pass": 1, "fail": 1, "error": 1, "not-tested": 1}
    assert valve.counts(2) == {"pass": 3, "known_deviations": 1}
    assert (valve.counts(3), valve.missing(3)) == ({"pass": 1}, 3)
    assert [[cell.standing.sign if cell else None for cell in row.cells] for row in valve.rows] == [
        ["P", "P", "P*", None], ["P", "F", "F†", "P"], ["P", "?", "P", None], ["P", "E", "P", None]
    ]  # fmt: skip
    assert set(matrix.notes) == {"P*"}


def test_the_data_has_a_record_for_each_engine_and_rule() -> None:
    matrix = four()
    table = json.loads(verdict_table.render_json(matrix))
    records = list(csv.DictReader(io.StringIO(verdict_table.render_csv(matrix))))
    assert [engine["overall"] for engine in table["engines"]] == [
        "conforms", "errors", "deviates", "conforms"
    ]  # fmt: skip
    assert [{name: str(value) for name, value in record.items()} for record in table["verdicts"]] == records
    assert len(records) == 4 * len(matrix.rows)
    valve_2 = [record for record in records if record["rule"] == "VALVE-2"]
    assert [record["kind"] for record in valve_2] == ["pass", "fail", "known-deviation", "pass"]
    assert [record["profile"] for record in valve_2] == ["core", "core", "flink-2.3", "core"]
    by_policy = next(record for record in records if record["policy"])
    assert (by_policy["rule"], by_policy["kind"]) == ("VALVE-1", "pass")
    assert "absent" in {record["kind"] for record in records}


def test_no_name_in_the_data_is_a_formula_and_hostile_names_are_harmless() -> None:
    hostile = run(rule(1, title=HOSTILE), implementation=engine('=HYPERLINK("x")', HOSTILE))
    matrix = build_matrix([hostile])
    (record,) = csv.DictReader(io.StringIO(verdict_table.render_csv(matrix)))
    assert record["name"] == '\'=HYPERLINK("x")'
    assert json.loads(verdict_table.render_json(matrix))["engines"][0]["name"] == '=HYPERLINK("x")'
    assert not {"\x00", "\x1b", "\u202e", "\ud800"} & set("".join(record.values()))


def test_the_page_has_every_rule_by_every_engine() -> None:
    page = html.render(four())
    reader = read(page)
    assert "4 engines on 6 rules" in reader.text
    assert (
        "The verdicts differ on 4 rules. 2 more rules are about parts that not all engines have."
        in reader.text
    )
    rows = [found for tag, found in reader.elements if tag == "tr"]
    assert len(rows) == 1 + 2 + 6
    assert sum("contested" in (found.get("class") or "") for found in rows) == 4
    cells = [
        found["class"]
        for tag, found in reader.elements
        if tag == "span" and "sign" in (found.get("class") or "").split()
    ]
    assert cells.count("sign fail") == 3  # in the table, and twice below
    assert cells.count("sign absent") == 5
    for expected in (
        "VALVE The status-watermark valve 4 P 4 pass 1 P 1 pass 1 F 1 fail 1 E 1 error 1 ? 1 not tested 3 P 3 pass 1 F† 1 known deviation 1 P",
        "P* pass in the reading of the profile",
        "known 4.2 · flink-2.3 : by policy x = y; core says z",
        "Only a part: rules VALVE-2.",
        "mutant:valve-no-flush (VALVE-2): until version 3 https://example.org/7",
    ):
        assert expected in reader.text


def test_the_page_opens_on_where_engines_differ_with_what_most_engines_fail_first() -> None:
    page = html.render(four())
    summaries = re.findall(r'<summary><span class="id">([A-Z]+-[0-9]+)</span>', page)
    assert summaries == ["VALVE-2", "VALVE-4", "VALVE-1", "VALVE-3"]
    assert page.index("Where engines that claim a rule differ") < page.index("Rules by engines")


def test_inner_links_lead_somewhere_and_reports_are_linked() -> None:
    linked = Run(results([rule(1), rule(2, "fail")], implementation=engine("a")), "a%20b/report.html")
    page = read(html.render(build_matrix([linked, run(rule(1), rule(2))])))
    ids = [found["id"] for _, found in page.elements if "id" in found]
    links = [found["href"] or "" for tag, found in page.elements if tag == "a"]
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in links if link.startswith("#")} <= set(ids)
    assert [link for link in links if not link.startswith("#")] == [
        "a%20b/report.html", "a%20b/report.html#VALVE-1", "a%20b/report.html#VALVE-2"
    ]  # fmt: skip


def test_only_the_script_of_the_page_may_run() -> None:
    page = html.render(four())
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == page.count("<script") == 1
    digest = b64encode(sha256(scripts[0].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in page
    assert not re.search(r"@import|url\(| src=", page)


def hostile() -> Matrix:
    """Two engines with hostile texts everywhere."""
    implementation = Implementation(
        name=HOSTILE, version=HOSTILE, capabilities=(), options={HOSTILE: HOSTILE}, layers={HOSTILE: "tester"}
    )
    deviation = DeviationResult(
        name=HOSTILE, rules=[HOSTILE], reason=HOSTILE, link="javascript:alert(3)", status="as-known",
        explanation=HOSTILE, shown=0, absent=0,
    )  # fmt: skip
    bad = [
        rule(
            number,
            verdict,
            id=f"{HOSTILE}{number}",
            title=HOSTILE,
            sentence=HOSTILE,
            reason=HOSTILE,
            layer=HOSTILE,
            component=HOSTILE,
        )
        for number, verdict in enumerate(("pass", "fail"))
    ]
    fields: dict[str, Any] = {
        "profile": HOSTILE,
        "selection": {HOSTILE: HOSTILE},
        "budget": HOSTILE,
        "started": HOSTILE,
        "deviations": [deviation],
        "implementation": implementation,
    }
    return build_matrix([run(*bad, **fields), run(*bad[:1], rule(1, id=bad[1].id), rule(3, id=""), **fields)])


def test_hostile_texts_neither_run_nor_break_anything() -> None:
    matrix = hostile()
    page = html.render(matrix)
    reader = read(page)
    assert page.count("<script") == 1
    assert not any(name.startswith("on") for _, found in reader.elements for name in found)
    assert not [found for tag, found in reader.elements if ":" in (found.get("href") or "")]
    assert "alert(1)" in reader.text
    text = markdown.render(matrix)
    shown = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text)
    assert [mark for mark in ("<script", "<a ", "<img", "<em>") if mark in shown] == []
    assert shown.count("<table>") == 2
    heads = {line.count("|") for line in text.splitlines() if line.startswith("| ---")}
    assert {line.count("|") for line in text.splitlines() if line.startswith("|")} == heads
    svg = ElementTree.fromstring(picture.render(matrix))
    assert list(svg.iter(f"{SVG}script")) == list(svg.iter("script")) == []
    for view in (page, text, picture.render(matrix)):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800]", view)
        view.encode("utf-8")


def test_the_same_runs_give_the_same_bytes() -> None:
    for view in (html, markdown, picture):
        assert view.render(four()) == view.render(four())


def test_the_text_has_chapters_by_engines_and_then_what_differs() -> None:
    text = markdown.render(four())
    assert text.startswith(
        "| chapter | right 4.2 · core | wrong 4.2 · core | known 4.2 · flink-2.3 | part 4.2 · core |\n"
    )
    for expected in (
        "| ALIGN: The source coordinator | 2 P | 2 – | 2 P | 2 · |",
        "| VALVE: The status-watermark valve | 4 P | 1 P, **1 F**, **1 E**, 1 ? | 3 P, 1 F† | 1 P, 3 · |",
        "| **all** | 6 P | 1 P, **1 F**, **1 E**, 1 ?, 2 – | 5 P, 1 F† | 1 P, 5 · |",
        "P pass; F fail; E error; F† known deviation; ? not tested; – not applicable; · not in this run; ",
        "Where engines that claim a rule differ:",
        "| VALVE-2 Title of rule 2 | P | **F** | F† | P |",
        "* wrong 4.2 · core: ALIGN (all)",
    ):
        assert expected in text
    assert "ALIGN-1 " not in text
    assert len([line for line in text.splitlines() if line.startswith("* ")]) == 1
    same = markdown.render(build_matrix([run(rule(1)), run(rule(1))]))
    assert "Engines that claim a rule stand the same with it, with every rule." in same


@pytest.mark.parametrize("beside", [None, 3])
@pytest.mark.parametrize("engines", [1, 2, 4, 9])
def test_all_of_the_picture_is_in_view_on_its_own_paper(engines: int, beside: int | None) -> None:
    long = [
        run(
            *(rule(number) for number in range(1, 31)),
            implementation=engine(f"a very long name of an engine {number}"),
        )
        for number in range(engines)
    ]
    svg = ElementTree.fromstring(picture.render(build_matrix(long), beside))
    width, height = float(svg.get("width", 0)), float(svg.get("height", 0))
    paper = next(found for found in svg.iter(f"{SVG}rect") if found.get("class") == "paper")
    assert (float(paper.get("width", 0)), float(paper.get("height", 0))) == (width - 1, height - 1)
    rects = [found for found in svg.iter(f"{SVG}rect") if found.get("class") == "pass"]
    assert len(rects) == engines + 1  # and one in the legend
    for found in (*rects, *svg.iter(f"{SVG}text")):
        assert 0 <= float(found.get("x", -1)) < width
        assert 0 <= float(found.get("y", -1)) < height
    places = [(found.get("x"), found.get("y")) for found in rects]
    assert len(set(places)) == len(places)
    assert len({x for x, _ in places[:-1]}) == min(engines, beside or engines)


def test_the_picture_leaves_out_chapters_that_no_engine_below_the_first_row_has() -> None:
    """The first row of engines shows that the chapters exist; VALVE applies to `right`, ALIGN to neither."""
    engines = [
        run(*(rule(1, id=id) for id in ("VALVE-1", "ALIGN-1")), implementation=engine("wide")),
        run(
            rule(1, id="VALVE-1"),
            rule(1, id="ALIGN-1", verdict="not-applicable"),
            implementation=engine("right"),
        ),
    ]
    words = [text.text for text in ElementTree.fromstring(picture.render(build_matrix(engines), 1)).iter()]
    assert words.count("VALVE") == 2
    assert words.count("ALIGN") == 1


def test_conforming_to_an_own_profile_is_no_green_verdict() -> None:
    matrix = build_matrix([run(rule(1), profile="flink-2.3"), run(rule(1))])
    own, core = (found for tag, found in read(html.render(matrix)).elements if tag == "article")
    assert (own.get("class"), core.get("class")) == ("card own", "card conforms")
    assert "Conforms to flink-2.3" in read(html.render(matrix)).text
    styles = [text.get("class") for text in ElementTree.fromstring(picture.render(matrix)).iter(f"{SVG}text")]
    assert [styles.count(f"label {style}") for style in ("own", "good")] == [1, 1]


def test_the_picture_tells_verdicts_apart_without_colour() -> None:
    svg = ElementTree.fromstring(picture.render(four()))
    marks = [
        found.text or "" for found in svg.iter(f"{SVG}text") if "mark" in (found.get("class") or "").split()
    ]
    legend = ["", "*", "F", "E", "†", "?", " –", " ·"]
    assert marks[-len(legend) :] == legend
    bars = {f"{number}{mark}" for number, mark in ((2, ""), (1, "F"), (1, "E"), (1, "?"), (1, "*"), (1, "†"))}
    assert bars <= set(marks[: -len(legend)])
    title, desc = svg.findtext(f"{SVG}title"), svg.findtext(f"{SVG}desc")
    assert title == "6 rules by 4 engines"
    assert "wrong 4.2 · core: 1 pass, 1 fail, 1 error, 1 not tested, 2 not applicable" in (desc or "")
    texts = [found.text for found in svg.iter(f"{SVG}text")]
    assert {"conforms 6/6", "1 of 4 in error,", "1 fails", "conforms 1/1"} <= set(texts)


def written(folder: Path, name: str, document: Results) -> str:
    """The name of a file that holds a results document."""
    (folder / name).write_bytes(encode_results(document))
    return name


def test_the_command_refuses_bad_input_in_one_line(tidegauge_here: Command, tmp_path: Path) -> None:
    good = written(tmp_path, "good.json", results())
    (tmp_path / "cut.json").write_bytes((tmp_path / good).read_bytes()[:300])
    (tmp_path / "old.json").write_bytes(
        (tmp_path / good).read_bytes().replace(b"tidegauge-results/3", b"tidegauge-results/0")
    )
    (tmp_path / "taken" / "matrix.md").mkdir(parents=True)
    for arguments, named in (
        ([], "which engines?"),
        (["none.json"], "none.json"),
        ([good, "cut.json"], "cut.json"),
        ([good, "old.json"], "old.json"),
        ([good, "--out", good], good),
        ([good, "--out", "taken"], "taken"),
        ([good, "--adapter", "no-such-engine"], "no-such-engine"),
    ):
        ran = tidegauge_here("matrix", *arguments)
        assert ran.returncode == 2, arguments
        lines = [line for line in ran.stderr.splitlines() if not line.startswith("putting ")]
        assert len(lines) == 1, arguments
        assert named in lines[0]


@pytest.mark.slower
def test_a_wrong_engine_is_put_under_test_beside_a_file(tidegauge: Command, tmp_path: Path) -> None:
    good = written(tmp_path, "good.json", results())
    narrow = ["--component", "clock", "-n", "1", "--out", "shown"]
    ran = tidegauge("matrix", good, "--adapter", "mutant:clock-reason-counts-once", *narrow)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == [f"shown/matrix.{suffix}" for suffix in ("html", "md", "svg", "csv", "json")]
    own = read_results(tmp_path / "shown" / "mutant-clock-reason-counts-once" / "results.json")
    assert own.budget == "smoke"
    failing = [one.id for one in own.rules if one.verdict == "fail"]
    assert failing
    text = (tmp_path / "shown" / "matrix.md").read_text(encoding="utf-8")
    assert "mutant clock-reason-counts-once" in text.splitlines()[0]
    assert "**1 F**" in text
    page = read((tmp_path / "shown" / "matrix.html").read_text(encoding="utf-8"))
    links = [found["href"] or "" for tag, found in page.elements if tag == "a"]
    report = f"mutant-clock-reason-counts-once/report.html#{failing[0]}"
    assert report in links
    assert (tmp_path / "shown" / report.partition("#")[0]).is_file()
