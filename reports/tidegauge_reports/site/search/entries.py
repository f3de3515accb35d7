"""The entries of the search: everything on the site that has its own address."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.mutants.known_bugs import load_known_bugs
from tidegauge.vectors.published import load_vectors
from tidegauge_spec import load_registry, read_policies, read_profiles

from ...text import short
from .. import addresses, ten_minutes
from ..dossier import dossier
from ..engines import Engine
from ..guides.documents import INDEX, SYMPTOMS, documents, symptom_paths, title_of
from ..guides.rendering import heading_anchors
from ..reference_code import code_modules
from ..symptoms import symptoms
from .rule_words import rule_words
from .terms import synonyms

_LONGEST_SUMMARY = 160

WEIGHTS = {
    "symptom": 1.5,
    "page": 1.2,
    "guide": 1.2,
    "engine": 1.2,
    "chapter": 1.0,
    "rule": 1.0,
    "known bug": 0.9,
    "policy": 0.8,
    "profile": 0.8,
    "section": 0.8,
    "golden vector": 0.35,
    "mutant": 0.35,
    "reference": 0.35,
}
"""The weight of each kind of entry: users search for symptoms often, for mutants rarely."""


@dataclass(frozen=True)
class Entry:
    """Something that the search can find.

    Attributes:
        address: the address on the site.
        kind: the kind of the entry, a key of `WEIGHTS`.
        title: the heading.
        summary: a sentence that is shown below the title.
        names: ids and names in code that belong to the entry.
        text: other words of the entry.
        phrases: queries that users type to find the entry.
    """

    address: str
    kind: str
    title: str
    summary: str
    names: str = ""
    text: str = ""
    phrases: Sequence[str] = ()

    @property
    def typed(self) -> Sequence[str]:
        """Queries that users type to find the entry: its phrases, and those of `synonyms.toml`."""
        return *self.phrases, *synonyms()["pages"].get(self.address, ())

    @property
    def shown_summary(self) -> str:
        """The summary without Markdown, shortened to one or two lines."""
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", self.summary)
        return short(" ".join(plain.split()), _LONGEST_SUMMARY)


def entries(engines: Sequence[Engine], has_playground: bool = False) -> list[Entry]:
    """Return all entries. If two entries have equal scores, the search shows the earlier one first."""
    return [
        *_symptoms(),
        *_pages(has_playground),
        *_guides(),
        *(entry for engine in engines for entry in _engine(engine)),
        *_chapters_and_rules(),
        *_policies_and_profiles(),
        *_bugs(),
        *_vectors(),
        *_mutants(),
        *(
            Entry(addresses.reference_page(module.name), "reference", module.name, "Code of the reference")
            for module in code_modules("")
        ),
    ]


def _symptoms() -> Iterator[Entry]:
    for symptom in symptoms():
        text = documents()[symptom.path]
        page = addresses.guide_page(symptom.path)
        summary = re.split(r"\n\n+", text)[3]  # the paragraph below the title, the phrases and the findings
        names = " ".join(symptom.names)
        yield Entry(page, "symptom", symptom.title, summary, names, text, phrases=symptom.phrases)


def _pages(has_playground: bool) -> Iterator[Entry]:
    words = " ".join(f"{word.thing} {' '.join(word.said)}" for word in ten_minutes.WORDS)
    yield Entry(
        addresses.TEN_MINUTES,
        "page",
        "Event time in ten minutes",
        "Watermarks, idleness, alignment and windows in figures, and the terms of Flink, Spark and others.",
        text=words,
    )
    number = len(load_known_bugs())
    yield Entry(
        addresses.KNOWN_BUGS, "page", "Known bugs", f"{number} real defects of engines, with their diagnosis."
    )
    yield Entry(addresses.DEFECTS, "page", "Mutants", "Deliberately faulty engines that the kit must catch.")
    yield Entry(
        addresses.POLICIES,
        "page",
        "Policies and profiles",
        "Where engines may differ, and what each profile chooses.",
    )
    yield Entry(
        addresses.TRACEABILITY,
        "page",
        "Traceability",
        "From every statement of the source documents to its rules, code, scenarios and runs.",
    )
    yield Entry(
        addresses.SYMPTOMS, "page", "What ails my job", "The symptoms of a job, with causes and fixes."
    )
    if has_playground:
        yield Entry(
            addresses.PLAYGROUND, "page", "Playground", "The reference in your browser.", text="try online"
        )


def _guides() -> Iterator[Entry]:
    for path, text in documents().items():
        if path in (INDEX, SYMPTOMS, *symptom_paths()):
            continue
        page, title = addresses.guide_page(path), title_of(text)
        code = " ".join(re.findall(r"`([^`\n]+)`", text))
        head, *sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
        yield Entry(page, "guide", title, _first_paragraph(head), text=f"{head} {code}")
        anchors = dict(heading_anchors(path))
        for section in sections:
            heading = section.partition("\n")[0].removeprefix("## ")
            if anchor := anchors.get(heading):
                yield Entry(
                    f"{page}#{anchor}",
                    "section",
                    f"{title}: {heading}",
                    _first_paragraph(section),
                    text=section,
                )


def _first_paragraph(text: str) -> str:
    """Return the first paragraph of prose, without headings, tables and code blocks."""
    paragraphs = re.split(r"\n\n+", text.partition("\n")[2])
    return next((part for part in paragraphs if re.match(r"[A-Za-z`\[*]", part.strip())), "")


def _engine(engine: Engine) -> Iterator[Entry]:
    implementation = engine.results.implementation
    names = f"{implementation.name} {implementation.version} {engine.key} {engine.results.profile}"
    yield Entry(
        addresses.engine_page(engine.key),
        "engine",
        f"{short(engine.product, 80)}, profile {short(engine.results.profile, 40)}",
        engine.conclusion.headline,
        names=short(names, 200),
        text="verdicts report results conformance",
        phrases=_without_patch(short(engine.product, 80)),
    )


def _without_patch(product: str) -> tuple[str, ...]:
    """Return the ways in which users write a product: `Apache Flink 2.3.0`, `Flink 2.3`, `Flink`."""
    name, version = re.sub(r"^Apache ", "", product), re.search(r"\d+\.\d+", product)
    bare = re.sub(r"\s*\d+(\.\d+)+", "", name)
    return (product, f"{bare} {version[0]}", bare) if version else (product,)


def _chapters_and_rules() -> Iterator[Entry]:
    for component, chapter in load_registry().chapters.items():
        page = addresses.chapter_page(component)
        titles = " ".join(rule.title for rule in chapter.rules)
        summary = f"Chapter {chapter.prefix} of the specification, {len(chapter.rules)} rules"
        yield Entry(page, "chapter", chapter.title, summary, f"{chapter.prefix} {component}", titles)
        for rule in chapter.rules:
            yield Entry(
                addresses.rule_address(rule.id),
                "rule",
                f"{rule.id} {rule.title}",
                rule.sentence,
                rule_words(dossier(rule, ())),
                f"{rule.sentence} {rule.intent} {rule.check}",
            )


def _policies_and_profiles() -> Iterator[Entry]:
    for name, meaning in read_profiles().items():
        yield Entry(addresses.profile_address(name), "profile", name, meaning)
    for policy in read_policies().values():
        names = " ".join((policy.name, *policy.profiles.values()))
        address = addresses.policy_address(policy.name)
        yield Entry(address, "policy", policy.name, policy.meaning, names, policy.meaning)


def _bugs() -> Iterator[Entry]:
    for bug in load_known_bugs().values():
        names = " ".join((bug.id, *bug.also, bug.system))
        address = addresses.bug_page(bug.id)
        yield Entry(address, "known bug", f"{bug.id} {bug.title}", bug.system, names, bug.unusable)


def _vectors() -> Iterator[Entry]:
    for component in COMPONENTS:
        for vector in load_vectors(component):
            address = addresses.vector_address(vector.id, component)
            yield Entry(address, "golden vector", vector.title, vector.id, vector.id, vector.reason)


def _mutants() -> Iterator[Entry]:
    for mutant in load_mutants().values():
        address = addresses.mutant_page(mutant.name)
        names = " ".join((mutant.name, *mutant.rules))
        yield Entry(address, "mutant", mutant.name, mutant.summary, names, mutant.summary)
