"""The texts of policies and profiles are read as strictly as chapters."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidegauge_spec import MalformedChapter, read_absent, read_policies, read_profiles

PROFILES = """\
# Profiles

## core

*Meaning:* What is right.

## other

*Meaning:* What is done.
"""

POLICIES = """\
# Policies

Free words.

## toy_colour

*Meaning:* Of what colour it is.

*Values:* `red`, `deep-blue`

*Profiles:* core = `red`; other = `deep-blue`

*Source:* TOY-1.

## toy_size

*Meaning:* How large it is.

*Values:* `small`

*Profiles:* core = `small`; other = `small`

*Source:* TOY-2.
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for the package's own."""
    monkeypatch.setattr("tidegauge_spec.policies.files", lambda _package: tmp_path)
    (tmp_path / "policies.md").write_text(POLICIES, encoding="utf-8")
    (tmp_path / "profiles.md").write_text(PROFILES, encoding="utf-8")
    return tmp_path


def test_policies_are_read_with_their_values_in_each_profile(folder: Path) -> None:
    assert folder.is_dir()
    policies = read_policies()
    assert list(policies) == ["toy_colour", "toy_size"]
    colour = policies["toy_colour"]
    assert (colour.name, colour.meaning, colour.source) == ("toy_colour", "Of what colour it is.", "TOY-1.")
    assert colour.values == ("red", "deep-blue")
    assert colour.profiles == {"core": "red", "other": "deep-blue"}
    assert read_profiles() == {"core": "What is right.", "other": "What is done."}


MALFORMED = {
    "a policy twice": ("## toy_size", "## toy_colour", "policies.md:15: policy toy_colour stands twice"),
    "no values": ("`red`, `deep-blue`", "none", "policies.md:11: toy_colour: every profile needs one of"),
    "a value that is none of its values": (
        "other = `deep-blue`",
        "other = `green`",
        "policies.md:11: toy_colour: every profile needs one of",
    ),
    "a profile without a value": (
        "; other = `deep-blue`",
        "",
        "policies.md:11: toy_colour: every profile needs",
    ),
    "an unknown profile": (
        "other = `deep-blue`",
        "third = `red`",
        "policies.md:11: toy_colour: every profile needs",
    ),
    "no meaning": ("*Meaning:* How large it is.\n\n", "", "policies.md:15: 'toy_size' has no *Meaning:*"),
    "no source": ("*Source:* TOY-2.", "", "policies.md:15: 'toy_size' has no *Source:*"),
    "an unknown label": ("*Source:* TOY-1.", "*Sauce:* TOY-1.", "policies.md:13: unknown *Sauce:*"),
}


@pytest.mark.parametrize(("old", "new", "message"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_policy_is_refused_with_file_and_line(
    folder: Path, old: str, new: str, message: str
) -> None:
    assert POLICIES.count(old) == 1
    (folder / "policies.md").write_text(POLICIES.replace(old, new), encoding="utf-8")
    with pytest.raises(MalformedChapter) as refused:
        read_policies()
    assert str(refused.value).startswith(message)


def test_a_profile_without_a_meaning_is_refused(folder: Path) -> None:
    (folder / "profiles.md").write_text(PROFILES.replace("*Meaning:* What is done.", ""), encoding="utf-8")
    with pytest.raises(MalformedChapter, match="profiles.md:7: 'other' has no"):
        read_profiles()


def test_a_profile_says_what_it_does_not_have(folder: Path) -> None:
    text = PROFILES.replace("*Meaning:* What is done.", "*Meaning:* What is done.\n\n*Without:* toy, extra")
    (folder / "profiles.md").write_text(text, encoding="utf-8")
    assert read_absent() == {"core": frozenset(), "other": {"toy", "extra"}}
