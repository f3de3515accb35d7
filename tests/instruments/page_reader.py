"""Reads the pages that are made, strictly."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "input", "link", "img"}


class Reader(HTMLParser):
    """Reads a page strictly: every element is closed in order, every anchor is there once."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.pieces: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        assert len(attributes) == len(attrs), "an attribute stands twice"
        self.elements.append((tag, attributes))
        if anchor := attributes.get("id"):
            assert anchor not in self.ids, f"the anchor {anchor} is there twice"
            self.ids.add(anchor)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.pieces.append(data)

    def with_class(self, name: str) -> list[dict[str, str | None]]:
        """The attributes of all elements of a class."""
        return [found for _, found in self.elements if name in (found.get("class") or "").split()]

    @property
    def links(self) -> list[str]:
        """Where links lead."""
        return [found["href"] or "" for tag, found in self.elements if tag == "a" and "href" in found]

    @property
    def text(self) -> str:
        """The visible text, with single spaces."""
        return " ".join(" ".join(self.pieces).split())


def read(page: str) -> Reader:
    """A page, read to its end."""
    assert page.lstrip().startswith("<!doctype html>")
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader
