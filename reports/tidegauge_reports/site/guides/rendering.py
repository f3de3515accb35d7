"""A document as HTML: names of rules are links, files and commands look like what they are, and pictures are
part of the page."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from posixpath import basename

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup

from ..specification_text import linking_markdown
from .documents import documents, page_name, path_from, project_file

_CHANGE = {"+": "added", "-": "removed", "@": "between"}
"""What a line of a change is, by its first character."""

_FILES = (".md", ".py", ".java", ".js", ".jsonl", ".yml", ".json")
"""Links to such are links to files of the project, unless they are addresses of the web."""

_SCROLLS = Markup('<div class="scroll" tabindex="0" role="region" aria-label="{}">')


def rendered(path: str, root: str) -> Markup:
    """The document at `path`; `root` leads from its page to the site's top folder."""
    return Markup(_markdown().render(documents()[path], {"root": root, "path": path}))


def heading_anchors(path: str) -> list[tuple[str, str]]:
    """Return the headings of a document, each with its anchor."""
    tokens = _markdown().parse(documents()[path], {"root": "", "path": path})
    return [
        (text.content, str(heading.attrs["id"]))
        for heading, text in pairwise(tokens)
        if heading.type == "heading_open"
    ]


@cache
def _markdown() -> MarkdownIt:
    markdown = linking_markdown().enable("table")
    markdown.core.ruler.push("anchors", _name_headings)
    markdown.core.ruler.push("targets", _resolve_links)
    markdown.core.ruler.push("parts", _lay_out)
    return markdown


def _name_headings(state: StateCore) -> None:
    """Headings get the anchors by which links name them; a second one of the same words gets a number."""
    named: Counter[str] = Counter()
    for heading, text in zip(state.tokens, state.tokens[1:], strict=False):
        if heading.type == "heading_open":
            name = re.sub(r"[^\w\- ]", "", text.content.lower()).replace(" ", "-")
            heading.attrSet("id", f"{name}-{named[name]}" if named[name] else name)
            named[name] += 1


def _resolve_links(state: StateCore) -> None:
    for token in state.tokens:
        if token.children:
            token.children = list(_resolved(token.children, state.env["path"]))


def _resolved(children: Sequence[Token], document: str) -> Iterator[Token]:
    """Links to documents lead to their pages; of any other file the path takes the place of the link."""
    file = ""
    for token in children:
        target, _, anchor = str(token.attrs.get("href", "")).partition("#")
        if token.type == "link_open" and target.endswith(_FILES) and "://" not in target:
            path = path_from(document, target)
            if path in documents():
                token.attrSet("href", page_name(path) + (f"#{anchor}" if anchor else ""))
            else:
                file = path
                continue
        if token.type == "link_close" and file:
            file = ""
        elif file:
            yield from _named(token, file)
        else:
            yield token


def _named(text: Token, file: str) -> Iterator[Token]:
    """The text of a link to a file, and its path; the path alone if the text is the name of the file."""
    path = Token("code_inline", "code", 0)
    path.content = file
    if text.content == basename(file):
        yield path
    else:
        yield text
        yield from (_text(" ("), path, _text(")"))


def _text(content: str) -> Token:
    token = Token("text", "", 0)
    token.content = content
    return token


def _lay_out(state: StateCore) -> None:
    state.tokens = list(_laid_out(list(_without_empty_heads(state.tokens)), state.env["path"]))


def _without_empty_heads(tokens: Sequence[Token]) -> Iterator[Token]:
    """Markdown has no table without a head: a head without a word is left out."""
    head: list[Token] = []
    for token in tokens:
        if token.type == "thead_open" or head:
            head.append(token)
            if token.type == "thead_close":
                yield from head if any(one.content for one in head) else ()
                head = []
        else:
            yield token


def _laid_out(tokens: Sequence[Token], document: str) -> Iterator[Token]:
    """Blocks with the names of their files, tables that scroll by themselves, and a figure for each paragraph
    that is a picture."""
    tables = 0
    for place, token in enumerate(tokens):
        inside = (
            tokens[place + 1 : place + 2] if token.type == "paragraph_open" else tokens[place - 1 : place]
        )
        if token.type == "fence":
            yield _html(_block(token))
        elif token.type == "table_open":
            tables += 1
            yield _html(_SCROLLS.format(f"Table {tables}"))
            yield token
        elif token.type == "table_close":
            yield token
            yield _html(Markup("</div>\n"))
        elif _is_a_picture(token):
            yield _html(_figure(token, document))
        elif not (token.type in ("paragraph_open", "paragraph_close") and any(map(_is_a_picture, inside))):
            yield token


def _is_a_picture(token: Token) -> bool:
    return [child.type for child in token.children or ()] == ["image"]


def _figure(token: Token, document: str) -> Markup:
    (image,) = token.children or []
    drawing = Markup(project_file(path_from(document, str(image.attrs["src"]))))
    scrolls = _SCROLLS.format(image.content)
    caption = Markup("<figcaption>{}</figcaption>").format(image.content)
    return Markup("<figure>{}{}{}</div></figure>\n").format(caption, scrolls, drawing)


def _block(fence: Token) -> Markup:
    """The text of a file, a change of it, or commands with what they print."""
    language, _, file = fence.info.partition(" ")
    caption = Markup('<p class="file">{}</p>\n').format(file) if file else ""
    between = "" if language == "diff" else "\n"  # the lines of a change are blocks
    lines = Markup(between).join(_line(language, line) for line in fence.content.splitlines())
    return Markup('{}<pre class="block">{}</pre>\n').format(caption, lines)


def _line(language: str, line: str) -> Markup:
    if language == "diff":
        return Markup('<span class="{}">{}</span>').format(_CHANGE.get(line[:1], "same"), line)
    if language == "console" and line.startswith("$ "):
        return Markup("<b>{}</b>").format(line)
    return Markup("{}").format(line)


def _html(markup: Markup) -> Token:
    token = Token("html_block", "", 0)
    token.content = markup
    return token
