"""The rule registry: every chapter, read once."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from .chapters import Chapter, MalformedChapter, Rule, read_chapter
from .policies import read_policies


@dataclass(frozen=True)
class Registry:
    """The chapters by component, and the rules by id in the order of the chapters."""

    chapters: dict[str, Chapter]
    rules: dict[str, Rule]

    def of_component(self, component: str) -> tuple[Rule, ...]:
        """The rules that govern `component`."""
        return self.chapters[component].rules


def build_registry(chapters: list[Chapter], policies: set[str]) -> Registry:
    """Join chapters; a rule, component or policy that clashes or does not exist is malformed."""
    by_component: dict[str, Chapter] = {}
    rules: dict[str, Rule] = {}
    for chapter in chapters:
        first = chapter.rules[0]
        if chapter.component in by_component:
            raise MalformedChapter(first.file, 1, f"component {chapter.component!r} has a chapter already")
        by_component[chapter.component] = chapter
        for rule in chapter.rules:
            if rule.id in rules:
                other = rules[rule.id]
                raise MalformedChapter(
                    rule.file, rule.line, f"{rule.id} stands already in {other.file}:{other.line}"
                )
            for policy in rule.policies:
                if policy not in policies:
                    raise MalformedChapter(rule.file, rule.line, f"{rule.id}: unknown policy {policy!r}")
            rules[rule.id] = rule
    for chapter in chapters:
        for used in chapter.uses:
            if used not in by_component:
                raise MalformedChapter(chapter.rules[0].file, 1, f"unknown component {used!r} in *Uses:*")
    return Registry(by_component, rules)


@cache
def load_registry() -> Registry:
    """The registry of the installed specification. Raises `MalformedChapter`."""
    folder = files("tidegauge_spec") / "chapters"
    texts = sorted((entry.name, entry.read_text(encoding="utf-8")) for entry in folder.iterdir())
    chapters = [read_chapter(text, name) for name, text in texts if name.endswith(".md")]
    return build_registry(chapters, set(read_policies()))
