"""Texts of the specification, which are Markdown, as HTML in which names of rules, chapters and policies are
links."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup

from tidegauge_spec import load_registry, read_policies

from .addresses import chapter_page, policy_address, rule_address


def inline_markup(text: str, root: str) -> Markup:
    """A paragraph of the specification; `root` leads from the page to the site's top folder."""
    return Markup(_markdown().renderInline(text, {"root": root}))


def chapter_head(file: str, root: str) -> Markup:
    """What a chapter says before its first rule, without its title and labelled lines."""
    text = (files("tidegauge_spec") / "chapters" / file).read_text(encoding="utf-8")
    environment = {"root": root}
    markdown = _markdown()
    tokens = markdown.parse(text, environment)
    head = list(_before_the_first_rule(tokens))
    return Markup(markdown.renderer.render(head, markdown.options, environment))


def _before_the_first_rule(tokens: list[Token]) -> Iterator[Token]:
    title_ends = next(place for place, token in enumerate(tokens) if token.type == "heading_close")
    labelled = False
    for place, token in enumerate(tokens[title_ends + 1 :], start=title_ends + 1):
        if token.type == "heading_open":
            return
        if token.type == "paragraph_open":
            labelled = re.match(r"\*[^*:]+:\*", tokens[place + 1].content) is not None
        if not labelled:
            yield token
        if token.type == "paragraph_close":
            labelled = False


def linking_markdown() -> MarkdownIt:
    """Markdown without markup of HTML, in which names are links from a page in `root` of its environment."""
    markdown = MarkdownIt("commonmark", {"html": False})
    markdown.core.ruler.push("names", _link_names)
    return markdown


_markdown = cache(linking_markdown)


def _link_names(state: StateCore) -> None:
    root = state.env.get("root", "")
    for token in state.tokens:
        if token.type == "inline" and token.children:
            token.children = list(_linked(token.children, root))


def _linked(children: Iterable[Token], root: str) -> Iterator[Token]:
    inside_a_link = False
    for token in children:
        if token.type in ("link_open", "link_close"):
            inside_a_link = token.type == "link_open"
        if inside_a_link:
            yield token
        elif token.type == "text":
            yield from _linked_text(token.content, root)
        elif token.type == "code_inline" and token.content in read_policies():
            yield from _link(token, root + policy_address(token.content))
        else:
            yield token


def _linked_text(text: str, root: str) -> Iterator[Token]:
    """Rule ids, and prefixes after the word `chapter`, become links."""
    after = 0
    for found in _name_pattern().finditer(text):
        address = _address_of(found)
        if address is not None:
            yield _text(text[after : found.start("name")])
            yield from _link(_text(found["name"]), root + address)
            after = found.end("name")
    yield _text(text[after:])


@cache
def _name_pattern() -> re.Pattern[str]:
    prefixes = "|".join(chapter.prefix for chapter in load_registry().chapters.values())
    return re.compile(rf"(?P<chapter>[Cc]hapter )?\b(?P<name>(?:{prefixes})(?:-[1-9][0-9]*)?)\b")


def _address_of(found: re.Match[str]) -> str | None:
    if found["name"] in load_registry().rules:
        return rule_address(found["name"])
    if found["chapter"] is None:
        return None
    return next(
        (
            chapter_page(component)
            for component, chapter in load_registry().chapters.items()
            if chapter.prefix == found["name"]
        ),
        None,
    )


def _text(content: str) -> Token:
    token = Token("text", "", 0)
    token.content = content
    return token


def _link(content: Token, address: str) -> tuple[Token, Token, Token]:
    opening = Token("link_open", "a", 1)
    opening.attrs = {"href": address}
    return opening, content, Token("link_close", "a", -1)
