"""A comparison as Markdown, for the page of a CI job."""

from ..machines.inert_markdown import inert
from .comparison import Comparison
from .words import MOST_ROWS, Section, caveats, engine_words, headline, left_out, sections, totals


def render(comparison: Comparison) -> str:
    """The text. The same comparison gives the same text."""
    sign = "❌" if comparison.worse else "✅"
    blocks = [f"## {sign} {inert(headline(comparison))}", inert(engine_words(comparison), 400)]
    if said := caveats(comparison):
        blocks.append(
            "\n".join(["Not comparable as they are:", "", *(f"* {inert(one, 700)}" for one in said)])
        )
    blocks += [_section(section) for section in sections(comparison)]
    blocks.append(inert(totals(comparison)))
    return "\n\n".join(blocks) + "\n"


def _section(section: Section) -> str:
    lines = [_row(section.columns), "| --- " * len(section.columns) + "|"]
    lines += [_row(row) for row in section.rows[:MOST_ROWS]]
    below = [text for text in (left_out(section), section.remark) if text]
    return "\n\n".join([f"### {inert(section.title)}", "\n".join(lines), *map(inert, below)])


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(inert(cell, 400) for cell in cells)} |"
