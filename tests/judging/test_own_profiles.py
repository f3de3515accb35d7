"""With an author's profile, choices are accepted and all other behaviour is judged as before."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Command, results_in
from judged import events_of, results_of

from tidegauge import BadInput, ComponentAdapter, ValveShape
from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.loading import describe
from tidegauge.judging.reference.profile_file import add_to_file
from tidegauge.judging.reference.profiles import profile_of, read_own_profile, shapes_under
from tidegauge.run.assembly import write_results
from tidegauge.wire.own_profile import Choice, OwnProfile, ReasonedShape
from tidegauge.wire.results import Results
from tidegauge.wire.steps.valve import ValveSetup
from tidegauge.words.conclusion import conclude, in_a_few_words
from tidegauge_reference import CORE
from tidegauge_reference.valve import Valve

CHOICES = replace(CORE, valve_finished_channel="counts", valve_flush_when_all_idle="last-channel-at-output")

PROFILE = """
name = "my-valve"

[[choice]]
policy = "valve_finished_channel"
value = "counts"
reason = "an input that ends holds the watermark"

[[choice]]
policy = "valve_flush_when_all_idle"
value = "last-channel-at-output"
reason = "the largest watermark follows with the next input"
link = "https://example.org/issues/3"
"""


class WithChoices(ComponentAdapter):
    """The reference's valve with two other policy values."""

    name = "a valve with choices"
    by_adapter = {"VALVE-3": "the adapter drops watermarks that do not rise"}  # noqa: RUF012

    def valve(self, setup: ValveSetup) -> Valve:
        return COMPONENTS["valve"].reference(setup, CHOICES)


class NeverActive(WithChoices):
    """The same valve with a defect: it never outputs ACTIVE."""

    def valve(self, setup: ValveSetup) -> Valve:
        valve = super().valve(setup)
        original = valve.active
        valve.active = lambda channel: [output for output in original(channel) if output != ("active",)]
        return valve


def results_under(adapter: ComponentAdapter, folder: Path, profile: str = "core") -> Results:
    """Return the results of a run at the smoke budget. `profile`: the name of a profile, or its file."""
    events = events_of(adapter, folder, components=("valve",), profile=profile)
    return results_of(events, folder, adapter)


def verdicts(results: Results) -> dict[str, list[str]]:
    """Return the ids of the rules, by verdict."""
    by_verdict: dict[str, list[str]] = {}
    for rule in results.rules:
        by_verdict.setdefault(rule.verdict, []).append(rule.id)
    return by_verdict


@pytest.fixture
def profile(tmp_path: Path) -> str:
    """Return the path of a profile with both choices."""
    path = tmp_path / "my-valve.toml"
    path.write_text(PROFILE, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def under_core(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Return the results of `WithChoices` under `core`."""
    return results_under(WithChoices({}), tmp_path_factory.mktemp("core"))


def test_choices_are_accepted_and_counted_in_the_headline(
    tmp_path: Path, profile: str, under_core: Results
) -> None:
    assert {"VALVE-15", "VALVE-20"} <= {*verdicts(under_core)["fail"]}
    results = results_under(WithChoices({}), tmp_path, profile)
    assert "fail" not in verdicts(results)
    assert conclude(results).headline == (
        "Conforms to my-valve: 2 choices differ from core; all 22 claimed rules pass, 1 of them by the adapter"
    )
    assert "VALVE-3 passes by the adapter, which acts in place of the engine." in conclude(results).remarks
    assert [rule.id for rule in results.rules if rule.by_adapter] == ["VALVE-3"]
    assert in_a_few_words(results) == "conforms to my-valve: 2 choices differ from core"
    said = next(remark for remark in conclude(results).remarks if remark.startswith("Measured against"))
    assert "valve_finished_channel = counts (core: leaves), since an input that ends holds" in said
    assert "with the next input (https://example.org/issues/3)" in said
    by_policy = {rule.id for rule in results.rules if rule.policy is not None}
    assert "VALVE-15" in by_policy


def test_a_defect_beside_the_choices_still_fails(tmp_path: Path, profile: str) -> None:
    results = results_under(NeverActive({}), tmp_path, profile)
    accused = {*verdicts(results).get("fail", []), *verdicts(results).get("suspect", [])}
    assert accused
    assert accused.isdisjoint({"VALVE-15", "VALVE-17", "VALVE-18", "VALVE-20", "VALVE-21"})
    assert any(
        "ACTIVE" in rule.sentence or "active" in rule.sentence for rule in results.rules if rule.id in accused
    )
    assert results.exit_code == 1


ENGINE = """
from pathlib import Path

from tidegauge import ComponentAdapter


class Clock:
    def __init__(self, nanoseconds):
        self.now = nanoseconds

    def read(self):
        return [("reading", self.now)]

    def advance(self, nanoseconds):
        self.now += max(0, nanoseconds)

    def pause(self, reason):
        pass

    def resume(self, reason):
        pass


class Engine(ComponentAdapter):
    profile_file = str(Path(__file__).with_name("backwards.toml"))

    def clock(self, setup):
        return Clock(setup.nanoseconds)
"""

BROUGHT = """
name = "backwards"

[[choice]]
policy = "clock_backwards"
value = "clamped"
reason = "the clock of a machine can be set back"
"""


def test_the_profile_that_an_adapter_brings_counts_unless_another_is_given(
    tidegauge: Command, tmp_path: Path
) -> None:
    """The engine never pauses its clock: a defect under both profiles, and the only failure under its own."""
    (tmp_path / "clock.py").write_text(ENGINE, encoding="utf-8")
    (tmp_path / "backwards.toml").write_text(BROUGHT, encoding="utf-8")
    run = ("run", "--adapter", "clock:Engine", "--budget", "smoke", "-n", "1")
    backwards = "CLOCK-5"
    assert tidegauge(*run, "--out", "own").returncode == 1
    own = results_in(tmp_path / "own")
    assert own["profile"] == own["own_profile"]["name"] == "backwards"
    by_rule = {rule["id"]: rule for rule in own["rules"]}
    assert by_rule[backwards]["verdict"] == "pass"
    failing = next(rule for rule in own["rules"] if rule["verdict"] == "fail")
    replay = failing["counterexample"]["replay"]
    assert "--profile" not in replay
    again = tidegauge(*shlex.split(replay)[1:])
    assert again.returncode == 1, again.stdout + again.stderr
    assert tidegauge(*run, "--out", "core", "--profile", "core").returncode == 1
    core = results_in(tmp_path / "core")
    assert (core["profile"], core["own_profile"]) == ("core", None)
    terms = [term["name"] for component in core["components"] for term in component["model"]]
    assert "clock_backwards=clamped" in terms


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace('"counts"', '"cuonts"'), "the values of this policy are leaves, counts"),
        (
            lambda text: text.replace('"counts"', '"leaves"'),
            "leaves is the value in core; delete this choice",
        ),
        (lambda text: text.replace("valve_finished_channel", "valve_finishd_channel"), "did you mean"),
        (lambda text: text.replace('"an input that ends holds the watermark"', '" "'), "has no reason"),
        (lambda text: text.replace("my-valve", "core"), "is that of a profile of the specification"),
        (lambda text: text.replace("my-valve", "my valve"), "is not made of at most 40 letters"),
        (lambda text: text.replace('name = "my-valve"', ""), "missing required field `name`"),
        (lambda text: text + text[text.index("[[choice]]") :], "this policy is given twice"),
        (lambda text: f'base = "flink"\n{text}', "base: unknown profile 'flink'; did you mean 'flink-2.3'?"),
        (lambda text: f"{text}\n[[deviation]]\nlike = 'mutant:x'", "unknown field `deviation`"),
        (lambda text: text.replace("link =", "linc ="), "choice 2: Object contains unknown field `linc`"),
        (lambda text: text[: text.index("[[choice]]") + 4], "is no profile"),
        (
            lambda text: f"{text}\n[[shape]]\ncomponent = 'valve'\nstatuses = 'non'\nreason = 'r'",
            "shape 1: its shape of the component valve: statuses has an unknown value 'non'",
        ),
        (
            lambda text: f"{text}\n[[shape]]\ncomponent = 'valve'\nstatuses = 'none'",
            "shape 1 (valve) has no reason",
        ),
    ],
)
def test_a_wrong_profile_is_rejected_with_its_entry(
    change: Callable[[str], str], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(change(PROFILE), encoding="utf-8")
    with pytest.raises(BadInput) as rejected:
        profile_of(str(path))
    assert said in str(rejected.value)
    assert str(path) in str(rejected.value)
    assert "\n" not in str(rejected.value)


def test_a_missing_file_and_an_unknown_name_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        profile_of(str(tmp_path / "none.toml"))
    with pytest.raises(
        BadInput, match=r"known are core, .*; a profile of your own is a file whose name ends in \.toml"
    ):
        profile_of("mine")


def test_new_entries_are_added_and_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    first = OwnProfile("mine", "core", (Choice("valve_finished_channel", "counts", ""),))
    assert add_to_file(path, first) == first
    written = path.read_text(encoding="utf-8").replace('reason = ""', 'reason = "why"  # a comment')
    path.write_text(written, encoding="utf-8")
    shape = ReasonedShape(ValveShape(statuses="none"), "")
    second = OwnProfile(
        "mine",
        "core",
        (Choice("valve_finished_channel", "counts", ""), Choice("split_finished", "counts", "")),
        (shape,),
    )
    added = add_to_file(path, second)
    assert [choice.policy for choice in added.choices] == ["split_finished"]
    assert added.shapes == (shape,)
    assert "# a comment" in path.read_text(encoding="utf-8")
    read = read_own_profile(path, with_reasons=False)
    assert [choice.reason for choice in read.choices] == ["why", ""]
    assert read.shapes == (shape,)
    with pytest.raises(BadInput, match="is the profile mine on core, not other on core"):
        add_to_file(path, OwnProfile("other"))


def test_a_shape_of_the_profile_stands_where_the_adapter_declares_none(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        "name = 'mine'\n[[shape]]\ncomponent = 'valve'\nstatuses = 'none'\nreason = 'inputs are never idle'\n",
        encoding="utf-8",
    )
    own = profile_of(str(path))
    assert shapes_under(own, ()) == (ValveShape(statuses="none"),)
    assert shapes_under(own, (ValveShape(statuses="none"),)) == (ValveShape(statuses="none"),)
    with pytest.raises(BadInput, match="different shapes of the component valve"):
        shapes_under(own, (ValveShape(most_channels=3),))


@pytest.mark.parametrize(
    ("by_adapter", "said"),
    [
        ({"VALVE-99": "the adapter counts"}, "by_adapter has an unknown rule 'VALVE-99'"),
        ({"VALVE-3": " "}, "by_adapter of VALVE-3: say in a sentence what the adapter does"),
    ],
)
def test_what_an_adapter_says_that_it_does_is_checked(by_adapter: dict[str, str], said: str) -> None:
    adapter = WithChoices({})
    adapter.by_adapter = by_adapter
    with pytest.raises(BadInput) as rejected:
        describe("x:Y", adapter)
    assert said in str(rejected.value)


def test_the_command_writes_the_choices_of_a_run(
    tidegauge: Command, tmp_path: Path, under_core: Results
) -> None:
    folder = tmp_path / "tidegauge-results"
    folder.mkdir()
    write_results(under_core, folder)
    ended = tidegauge("profile", "--name", "my-valve")
    assert ended.returncode == 0, ended.stderr
    assert "valve_finished_channel = counts (core: leaves)" in ended.stdout
    assert "FLINK-40475a (valve-guarded-flush) is a known defect (VALVE-15); keep" in ended.stdout
    written = read_own_profile(tmp_path / "my-valve.toml", with_reasons=False)
    assert {choice.policy: choice.value for choice in written.choices} == {
        "valve_finished_channel": "counts",
        "valve_flush_when_all_idle": "last-channel-at-output",
    }
    refused = tidegauge("run", "--adapter", "reference", "--profile", "my-valve.toml")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "(valve_finished_channel = counts) has no reason" in refused.stderr
    assert tidegauge("profile", "--name", "core").returncode == 2
    assert "give the profile a name with --name" in tidegauge("profile").stderr
