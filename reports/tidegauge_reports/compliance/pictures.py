"""Pictures as parts of a page: their style stands on the page once, not in each of them."""

import re

from markupsafe import Markup

_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


class Styles:
    """The styles of the pictures that a page shows, each once, in the order in which they came."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def taken_from(self, picture: str) -> Markup:
        """A drawing without its style, which is kept. Drawings escape all texts, so that what looks like
        their style is it."""
        self._found.update(dict.fromkeys(_STYLE.findall(picture)))
        return Markup(_STYLE.sub("", picture))

    @property
    def sheet(self) -> Markup:
        """All styles."""
        return Markup("".join(self._found))
