"""The options of a run: one declaration, from which the command line, the pytest plugin and requests are made."""

from pathlib import Path

import pytest
from msgspec.structs import fields
from typer.main import get_command
from typer.testing import CliRunner

from tidegauge import BadInput
from tidegauge.__main__ import application
from tidegauge.run.options import PYTEST_PREFIX, REQUEST_OPTIONS, request_of, with_whole_paths
from tidegauge.run.plugin import pytest_addoption
from tidegauge.run.request import Request

FULL = Request(
    adapter="a.b:C",
    options={"engine": "tester", "size": "a=b"},
    profile="core",
    components=("valve", "splits"),
    rules=("VALVE-1",),
    budget="smoke",
    seed=7,
    vectors=(str(Path("mine").resolve()),),
    deviations=str(Path("known.toml").resolve()),
    out=str(Path("there").resolve()),
)


def test_every_field_of_a_request_has_one_option() -> None:
    assert [option.field for option in REQUEST_OPTIONS] == [field.name for field in fields(Request)]


def test_what_is_not_given_has_its_default() -> None:
    assert request_of({"adapter": "reference", "budget": None, "rule": []}) == Request(adapter="reference")


def test_files_are_named_by_their_whole_paths_and_the_word_none_is_no_file() -> None:
    whole = with_whole_paths(
        Request(adapter="a", profile="core", deviations="none", vectors=("mine",), out="x")
    )
    assert (whole.profile, whole.deviations) == ("core", "none")
    assert (whole.vectors, whole.out) == ((str(Path("mine").resolve()),), str(Path("x").resolve()))


def test_an_option_of_the_adapter_needs_its_equals_sign() -> None:
    with pytest.raises(BadInput, match="option 'fast' is not key=value"):
        request_of({"adapter": "a", "option": ["fast"]})


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("run", [option.name for option in REQUEST_OPTIONS]),
        ("execute", ["adapter", "option", "profile"]),
        ("replay", ["adapter", "option", "profile", "deviations"]),
    ],
)
def test_a_command_has_the_options_of_the_declaration(command: str, names: list[str]) -> None:
    commands = vars(get_command(application()))["commands"]
    options = {option.name: option for option in REQUEST_OPTIONS}
    taken = {one.opts[0].removeprefix("--"): one for one in commands[command].params}
    for name in names:
        assert (taken[name].help, taken[name].metavar) == (options[name].help, options[name].value)
    assert [name for name in options if name in taken] == names


def test_pytest_has_the_options_of_the_declaration() -> None:
    parser = pytest.Parser(_ispytest=True)
    pytest_addoption(parser)
    taken = {one.names()[0]: one.attrs() for group in parser._groups for one in group.options}
    assert list(taken) == [PYTEST_PREFIX + option.name for option in REQUEST_OPTIONS]
    for option in REQUEST_OPTIONS:
        assert taken[PYTEST_PREFIX + option.name]["help"] == option.help


@pytest.mark.parametrize("command", ["run", "replay", "execute", "init", "mutants", "smoke", "matrix"])
def test_the_help_text_names_every_option_in_full_at_80_columns(command: str) -> None:
    app = application()
    parameters = vars(get_command(app))["commands"][command].params
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "80", "NO_COLOR": "1"}).stdout
    assert max(map(len, shown.splitlines())) == 80
    named = [one.opts[0] for one in parameters if one.opts[0].startswith("--") and not one.hidden]
    assert [name for name in named if name not in shown.replace("│", " ").split()] == []
