"""The pages of the site: the same runs give the same bytes."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from tidegauge import __version__
from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.mutants.known_bugs import load_known_bugs
from tidegauge.vectors.published import Vector, load_vectors
from tidegauge.wire.scenario import component_of
from tidegauge.words import diagnosis, verdicts
from tidegauge_spec import SPEC_VERSION, Chapter, load_registry, read_absent, read_policies, read_profiles

from ..chapter_titles import chapter_title
from ..compliance.html import render as render_report
from ..histories.timeline import timeline_style
from ..pages.environment import packaged, page_environment, style_sheet
from ..text_file import write_text_file
from ..wording import NOTHING
from . import addresses, ten_minutes
from .defects import defects
from .dossier import Dossier, dossier
from .engines import Engine, engine_cards
from .figures import figure_policies, vector_figure
from .guides.documents import INDEX, SYMPTOMS, documents, symptom_paths, title_of
from .guides.rendering import rendered
from .playground_pages import playground_page, write_playground_files
from .reference_code import code_modules
from .search.entries import entries
from .search.files import SEARCH_SCRIPTS, search_files
from .search.index import build_index
from .sources import sources_in_words
from .specification_text import chapter_head, inline_markup
from .surroundings import UP, around_reports
from .symptoms import symptoms
from .traced import trace, traced_statements
from .vector_tables import vector_table

_SEARCH_EXAMPLE = "watermark stuck, allowedLateness, FLINK-40475"


def write_site(engines: Sequence[Engine], folder: Path, playground: bool = False) -> list[Path]:
    """Write the site into `folder`, which is made if need be, with or without the playground; the paths of
    its pages. Raises `OSError`, and `BadInput` if a part of the playground cannot be had."""
    if playground:
        write_playground_files(folder)
    for name, text in search_files(build_index(entries(engines, playground))).items():
        write_text_file(folder / name, text)
    return [write_text_file(folder / name, page) for name, page in render_site(engines, playground)]


def render_site(engines: Sequence[Engine], playground: bool = False) -> Iterator[tuple[str, str]]:
    """The pages, each with its path from the top of the site."""
    dossiers = {rule.id: dossier(rule, engines) for rule in load_registry().rules.values()}
    top, below = _environment("", engines), _environment(UP, engines)
    for environment in (top, below):
        environment.globals.update(has_playground=playground)
    if playground:
        yield addresses.PLAYGROUND, playground_page(below)
    yield "index.html", _index(top, engines, dossiers)
    yield addresses.SEARCH, top.get_template("search.html.j2").render(search_scripts=SEARCH_SCRIPTS)
    yield addresses.TEN_MINUTES, _ten_minutes(top)
    yield from _guides(below)
    yield addresses.TRACEABILITY, top.get_template("traceability.html.j2").render(traced=trace(engines))
    yield addresses.POLICIES, _policies(top)
    yield from _defect_pages(top, below)
    for component, chapter in load_registry().chapters.items():
        yield addresses.chapter_page(component), _chapter(top, chapter, dossiers)
    for component in COMPONENTS:
        chapter = load_registry().chapters[component]
        yield addresses.vectors_page(component), _vectors(below, chapter)
    for module in code_modules(UP):
        page = below.get_template("reference.html.j2").render(module=module)
        yield addresses.reference_page(module.name), page
    around = around_reports(dossiers)
    for engine in engines:
        yield addresses.engine_page(engine.key), render_report(engine.results, around)


def _environment(root: str, engines: Sequence[Engine]) -> Environment:
    environment = page_environment(__package__)
    environment.filters.update(
        spec=partial(inline_markup, root=root),
        component_of=_component,
        figure=vector_figure,
        figure_policies=figure_policies,
        sources=sources_in_words,
    )
    environment.globals.update(
        at=addresses,
        verdicts=verdicts,
        words_of=diagnosis,
        root=root,
        engines=engines,
        style=style_sheet(__package__),
        figure_style=Markup(timeline_style()),
        spec_version=SPEC_VERSION,
        version=__version__,
        chapters=load_registry().chapters,
        rules=load_registry().rules,
        statements={statement.name for statement in traced_statements()},
        nothing=NOTHING,
        search_example=_SEARCH_EXAMPLE,
        chapter_title=chapter_title,
    )
    return environment


def _index(environment: Environment, engines: Sequence[Engine], dossiers: dict[str, Dossier]) -> str:
    script = packaged(__package__, "script.js")
    return environment.get_template("index.html.j2").render(
        cards=engine_cards(engines),
        dossiers=dossiers,
        mutants=load_mutants(),
        bugs=load_known_bugs(),
        modules=code_modules(""),
        vectors={component: load_vectors(component) for component in COMPONENTS},
        guides={
            addresses.guide_page(path): title_of(text)
            for path, text in documents().items()
            if path not in (INDEX, SYMPTOMS, *symptom_paths())
        },
        symptoms=symptoms(),
        script=Markup(script),
        script_digest=b64encode(sha256(script.encode()).digest()).decode(),
    )


def _component(vector: Vector) -> str:
    return component_of(vector.scenario)


def _chapter(environment: Environment, chapter: Chapter, dossiers: dict[str, Dossier]) -> str:
    return environment.get_template("chapter.html.j2").render(
        chapter=chapter,
        head=chapter_head(chapter.rules[0].file, ""),
        dossiers=[dossiers[rule.id] for rule in chapter.rules],
        has_pages=chapter.component in COMPONENTS,
    )


def _ten_minutes(environment: Environment) -> str:
    return environment.get_template("ten-minutes.html.j2").render(
        shown_vector=ten_minutes.shown_vector,
        questions=ten_minutes.asked_vectors(),
        systems=ten_minutes.SYSTEMS,
        words=ten_minutes.WORDS,
        places=ten_minutes.places(),
    )


def _guides(environment: Environment) -> Iterator[tuple[str, str]]:
    """The list of guides, and each of them."""
    template = environment.get_template("guide.html.j2")
    for path, text in documents().items():
        page = template.render(
            title=title_of(text),
            body=rendered(path, UP),
            is_index=path in (INDEX, SYMPTOMS),
            is_symptom=path in symptom_paths(),
        )
        yield addresses.guide_page(path), page


def _policies(environment: Environment) -> str:
    return environment.get_template("policies.html.j2").render(
        policies=read_policies(), profiles=read_profiles(), absent=read_absent()
    )


def _vectors(environment: Environment, chapter: Chapter) -> str:
    tables = [vector_table(vector) for vector in load_vectors(chapter.component)]
    return environment.get_template("vectors.html.j2").render(chapter=chapter, tables=tables)


def _defect_pages(top: Environment, below: Environment) -> Iterator[tuple[str, str]]:
    """The list of known bugs and mutants, and a page for each."""
    listed, bugs = defects(), load_known_bugs()
    overview = top.get_template("defects.html.j2")
    yield addresses.DEFECTS, overview.render(defects=listed, bugs=bugs, components=list(COMPONENTS))
    for name, defect in listed.items():
        yield addresses.mutant_page(name), below.get_template("mutant.html.j2").render(defect=defect)
    for name, bug in bugs.items():
        shown = [listed[mutant] for mutant in bug.mutants]
        yield addresses.bug_page(name), below.get_template("bug.html.j2").render(bug=bug, shown=shown)
