"""`tidegauge rules`, `explain`, `adapters`: the specification and what is installed, in a terminal."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PATIENCE, Command, plain_environment

from tidegauge import __version__
from tidegauge.judging.traceability import decided_in
from tidegauge_spec import load_registry


def test_rules_as_json(tidegauge_here: Command) -> None:
    ended = tidegauge_here("rules", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    listed = json.loads(ended.stdout)
    assert [rule["id"] for rule in listed] == list(load_registry().rules)
    for rule in listed:
        assert set(rule) == {"id", "level", "component", "title", "status", "reason"}
        assert rule["level"] in ("MUST", "SHOULD", "MAY")
        assert rule["status"] in ("judged", "not-testable")
        assert rule["reason"]
    valve_3 = next(rule for rule in listed if rule["id"] == "VALVE-3")
    assert valve_3 == {
        "id": "VALVE-3",
        "level": "MUST",
        "component": "valve",
        "title": "A channel's watermark never regresses",
        "status": "judged",
        "reason": "reference, property valve-output-increases",
    }


def test_rules_as_a_table(tidegauge_here: Command) -> None:
    ended = tidegauge_here("rules")
    assert ended.returncode == 0
    for rule in load_registry().rules:
        assert rule in ended.stdout


def test_a_rule_is_explained_in_full(tidegauge_here: Command) -> None:
    ended = tidegauge_here("explain", "VALVE-15")
    assert (ended.returncode, ended.stderr) == (0, "")
    text = " ".join(ended.stdout.split())
    rule = load_registry().rules["VALVE-15"]
    for part in (
        "VALVE-15 (MUST, valve)",
        rule.title,
        rule.sentence,
        f"Intent {rule.intent}",
        f"If an engine fails this, check {rule.check}",
        "Policy valve_flush_when_all_idle",
        "core = always, flink-2.3 = last-channel-at-output",
        "Source E45, FLINK-7728, FLINK-40475",
        "Checked by reference, property valve-idle-order",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("rule", "part"), [("VALVE-23", "Needs the capability snapshot"), ("VALVE-3", "Since 1.0")]
)
def test_explanations_say_what_a_rule_needs(tidegauge_here: Command, rule: str, part: str) -> None:
    assert part in " ".join(tidegauge_here("explain", rule).stdout.split())


def test_vectors_that_show_a_rule_are_named(tidegauge_here: Command) -> None:
    assert "valve/essay-one-upstream" in tidegauge_here("explain", "VALVE-2").stdout


def test_a_statement_leads_to_its_rules_and_a_rule_to_its_text_code_and_vectors(
    tidegauge_here: Command, root: Path
) -> None:
    from_statement = tidegauge_here("explain", "E50").stdout
    assert "VALVE-10 (MUST, valve)" in from_statement
    explained = " ".join(tidegauge_here("explain", "VALVE-10").stdout.split())
    assert "E50" in explained.partition("Source")[2]
    assert "valve/essay-resumed-lagging" in explained.partition("Vectors")[2]
    text = re.search(r"Text (\S+):(\d+)", explained)
    code = re.search(r"Reference (\S+):(\d+)", explained)
    assert text is not None
    assert code is not None
    chapter = root / "spec" / "tidegauge_spec" / "chapters" / text[1]
    module = root / "reference_impl" / "tidegauge_reference" / code[1]
    assert "VALVE-10" in chapter.read_text(encoding="utf-8").splitlines()[int(text[2]) - 1]
    assert 'cite("VALVE-10"' in module.read_text(encoding="utf-8").splitlines()[int(code[2]) - 1]


def test_every_rule_that_the_reference_decides_names_its_lines() -> None:
    for rule in load_registry().rules.values():
        if "reference" in rule.checked_by:
            assert decided_in(rule.id), rule.id


def test_installed_adapters_are_listed(tidegauge_here: Command) -> None:
    names = tidegauge_here("adapters").stdout.split()
    assert {"reference", "spark"} <= set(names)
    assert names == sorted(names)


def test_the_version_is_printed(tidegauge_here: Command) -> None:
    assert tidegauge_here("--version").stdout == f"tidegauge {__version__}\n"


def test_help_names_every_command(tidegauge_here: Command) -> None:
    ended = tidegauge_here("--help")
    assert ended.returncode == 0
    for command in ("run", "rules", "explain", "execute", "replay", "report", "adapters"):
        assert command in ended.stdout


def test_the_mutants_of_a_component_are_listed_without_running_them(tidegauge_here: Command) -> None:
    listed = tidegauge_here("mutants", "--list", "--component", "clock")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "clock-milliseconds: The reading grows in ms instead of ns. CLOCK-1\n" in listed.stdout
    assert all(line.startswith("clock-") for line in listed.stdout.splitlines())


def test_rules_of_chapters_and_with_words(tidegauge_here: Command) -> None:
    def ids(*arguments: str) -> list[str]:
        return [rule["id"] for rule in json.loads(tidegauge_here("rules", "--json", *arguments).stdout)]

    every = load_registry().rules
    assert ids("--chapter", "VALVE") == [id for id in every if id.startswith("VALVE-")]
    assert ids("--chapter", "valve", "--chapter", "GEN") == [
        id for id in every if id.startswith(("VALVE-", "GEN-"))
    ]
    assert ids("--chapter", "coordinator") == [id for id in every if id.startswith("ALIGN-")]
    assert "VALVE-3" in ids("--text", "Watermark REGRESSES")
    assert set(ids("--chapter", "VALVE", "--text", "idle")) < set(ids("--chapter", "VALVE"))
    ended = tidegauge_here("rules", "--chapter", "VALV")
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)
    assert "did you mean 'VALVE'?" in ended.stderr
    ended = tidegauge_here("rules", "--text", "zebra")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "no rule has all words of 'zebra'" in ended.stderr


def test_help_is_grouped_and_has_a_short_option(tidegauge_here: Command) -> None:
    ended = tidegauge_here("-h")
    assert ended.returncode == 0
    panels = re.findall(r"╭─ ([A-Z][\w ]+?) ─", ended.stdout)
    assert panels[:4] == [
        "Options", "Test an engine", "Understand a difference", "Show and compare results"
    ]  # fmt: skip
    assert "Commands of other packages" not in panels
    assert "--chapter" in tidegauge_here("rules", "-h").stdout


def test_a_shell_completes_commands_and_options(tmp_path: Path) -> None:
    script = "import sys; sys.argv = ['tidegauge']; from tidegauge.__main__ import main; main()"

    def completed(*words: str) -> list[str]:
        typed = {"COMP_WORDS": " ".join(["tidegauge", *words]), "COMP_CWORD": str(len(words))}
        ended = subprocess.run(
            [sys.executable, "-c", script],
            cwd=tmp_path,
            env={**plain_environment(), **typed, "_TIDEGAUGE_COMPLETE": "complete_bash"},
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
        return ended.stdout.split()

    assert completed("check") == ["check-log"]
    assert "--chapter" in completed("rules", "--ch")
