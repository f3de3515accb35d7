"""The guides, played as a reader plays them; the list of them, and what they link to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from conftest import ROOT
from played_page import VARIES, Command, played, steps_of

from tidegauge.judging.reference.deviations import read_deviations
from tidegauge.wire.shapes import SHAPES
from tidegauge_reports.site.guides.documents import INDEX, documents
from tidegauge_reports.site.guides.rendering import rendered

FOLDER = ROOT / "guides"
WITH_COMMANDS = (
    "adapter",
    "adding-a-rule",
    "aligned-sources",
    "another-language",
    "ci",
    "cluster",
    "fewer-features",
    "own-profile",
    "reading-a-report",
    "stateful-processor",
    "known-deviations",
)


def text_of(guide: str) -> str:
    """A guide by its name."""
    return (FOLDER / f"{guide}.md").read_text(encoding="utf-8")


@pytest.mark.slower
@pytest.mark.parametrize("guide", WITH_COMMANDS)
def test_every_printed_line_is_what_is_printed(guide: str, tmp_path: Path) -> None:
    differing = played(text_of(guide), tmp_path)
    assert not differing, "\n".join(differing)


def test_every_guide_with_commands_is_played() -> None:
    with_commands = {path.stem for path in FOLDER.glob("*.md") if steps_of(text_of(path.stem))}
    assert with_commands == set(WITH_COMMANDS)


def test_every_guide_is_listed_and_every_link_of_a_document_leads_to_a_file() -> None:
    assert {path.relative_to(ROOT).as_posix() for path in FOLDER.rglob("*.md")} == {
        path for path in documents() if path.startswith("guides/")
    }
    followed = 0
    for path, text in documents().items():
        for link in re.findall(r"\]\(([^)#:]+)[)#]", text):
            assert (ROOT / path).parent.joinpath(link).exists(), f"{path} leads to {link}"
            followed += 1
    assert followed > 15


@pytest.mark.parametrize("guide", sorted(path.stem for path in FOLDER.glob("*.md")))
def test_little_of_what_is_printed_varies(guide: str) -> None:
    """So that a page of `…` alone cannot pass."""
    for command in steps_of(text_of(guide)):
        if isinstance(command, Command):
            assert sum(VARIES in line for line in command.shown) <= 4, command
            assert not [line for line in command.shown if not line.strip(f" {VARIES}") and line.strip()]


def test_the_other_entry_of_known_deviations_is_one(tmp_path: Path) -> None:
    (entry,) = re.findall(r"```toml\n(.*?)```", text_of("known-deviations"), re.DOTALL)
    (tmp_path / "known.toml").write_text(entry, encoding="utf-8")
    (read,) = read_deviations(tmp_path / "known.toml").deviation
    assert read.rules == ("BACKLOG-10",)


def test_the_pieces_of_a_rule_stand_in_the_files_that_the_guide_names() -> None:
    found = re.findall(
        r"\(\.\./([^)]+)\)(?:(?!\n## ).)*?```\w+\n(.*?)```", text_of("adding-a-rule"), re.DOTALL
    )
    pieces = [(file, piece) for file, piece in found if "VALVE-15" in piece and not piece.startswith("$")]
    assert len(pieces) == 4
    for file, piece in pieces:
        assert piece in (ROOT / file).read_text(encoding="utf-8"), file


def test_a_page_shows_files_changes_commands_pictures_and_paths() -> None:
    adapter, report = rendered("guides/adapter.md", "../"), rendered("guides/reading-a-report.md", "../")
    assert '<p class="file">backlog_flag.py</p>' in adapter
    assert '<span class="added">+        if not flag and None in self.claims.values():</span>' in adapter
    assert "<b>$ tidegauge run --adapter engine:Engine --budget smoke</b>\nFirst difference" in adapter
    assert '<a href="../backlog.html#BACKLOG-10">BACKLOG-10</a>' in adapter
    assert (FOLDER / "pictures" / "VALVE-15.svg").read_text(encoding="utf-8") in report
    rule = rendered("guides/adding-a-rule.md", "../")
    assert "in <code>reference_impl/tidegauge_reference/valve.py</code>:" in rule
    assert ".md" not in "".join(re.findall(r'href="([^"]*)"', rule))
    language = rendered("guides/another-language.md", "../")
    assert '<a href="protocol.html">the process protocol</a>' in language


def test_the_list_is_the_first_document() -> None:
    assert next(iter(documents())) == INDEX


def test_the_guide_to_fewer_features_lists_every_field_and_every_value() -> None:
    text = text_of("fewer-features")
    for shape in SHAPES.values():
        assert f"`{shape.__name__}`" in text
        for field, hint in get_type_hints(shape).items():
            assert f"`{field}`" in text, f"{shape.__name__}.{field}"
            members = get_args(hint)
            for value in get_args(members[0]) if members[1:] == (...,) else members:
                assert not isinstance(value, str) or f"`{value}`" in text, f"{field}: {value}"
