"""The scripts that the page `search.html` loads: lunr.js, the index, and the script of the page."""

from collections.abc import Mapping

from ...pages.environment import packaged
from .index import SearchIndex, index_script

SEARCH_SCRIPTS = ("lunr.min.js", "search-index.js", "search.js")
"""The names of the scripts, in the order in which the page loads them."""


def search_files(search: SearchIndex) -> Mapping[str, str]:
    """Return the scripts by name. The script of lunr.js begins with its licence."""
    library, index, page = SEARCH_SCRIPTS
    licence = "\n".join(
        f" * {line}".rstrip() for line in packaged(__package__, "lunr-license.txt").splitlines()
    )
    return {
        library: f"/*!\n{licence}\n */\n{packaged(__package__, library)}",
        index: index_script(search),
        page: packaged(__package__, page),
    }
