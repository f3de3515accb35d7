"""The processors of `examples/processors/`: all checks hold, and each finds a typical mistake in them."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from conftest import ROOT

from tidegauge_adapters.processors import check_processor

FOLDER = ROOT / "examples" / "processors"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
MISTAKES = {
    "distinct_tags": (
        ("list is replaced", "self.tags.appendValue((row.tag,))", "self.tags.put([(row.tag,)])", "cuts"),
        ("state is not read", "[tag for (tag,) in self.tags.get()]", "[]", "cuts"),
    ),
    "game_scores": (
        (
            "latest score of a micro-batch",
            "max(row.score, scores.get(row.player, row.score))",
            "row.score",
            "cuts",
        ),
        ("state is not written", "self.best.updateValue((player,), (score,))", "pass", "cuts"),
    ),
    "silent_device": (
        ("timer is not deleted", "self.handle.deleteTimer(known + QUIET_MS)", "pass", "due"),
        (
            "timer one ms late",
            "self.handle.registerTimer(beat + QUIET_MS)",
            "self.handle.registerTimer(beat + QUIET_MS + 1)",
            "due",
        ),
        (
            "the last row counts, not the newest",
            "max((row.beat - EPOCH) // MS for row in rows)",
            "[(row.beat - EPOCH) // MS for row in rows][-1]",
            "order",
        ),
    ),
}


def module_of(name: str, monkeypatch: pytest.MonkeyPatch, old: str = "", new: str = "") -> ModuleType:
    """An example, with a change of its source."""
    path = FOLDER / f"{name}.py"
    source = path.read_text(encoding="utf-8")
    assert not old or source.count(old) == 1
    module = ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)
    exec(compile(source.replace(old, new) if old else source, str(path), "exec"), module.__dict__)
    return module


@pytest.mark.parametrize("name", NAMES)
def test_all_checks_hold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_processor(getattr(module_of(name, monkeypatch), name), traces=60)


@pytest.mark.parametrize(
    ("name", "old", "new", "check"),
    [
        pytest.param(name, *mistake, id=f"{name}: {about}")
        for name, mistakes in MISTAKES.items()
        for about, *mistake in mistakes
    ],
)
def test_a_typical_mistake_is_found(
    name: str, old: str, new: str, check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(AssertionError, match=rf"(?m)^{check}: "):
        check_processor(getattr(module_of(name, monkeypatch, old, new), name), traces=60)


def test_each_example_has_mistakes_and_is_listed() -> None:
    assert set(MISTAKES) == set(NAMES)
    listed = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}.py`" in listed for name in NAMES)
