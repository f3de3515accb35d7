"""The playground's folder of the site: its page, the kit for it, and Pyodide."""

from pathlib import Path
from shutil import copyfile

from jinja2 import Environment
from markupsafe import Markup

from ..pages.environment import packaged
from ..playground.bundle import kit_archive
from ..playground.parts import MSGSPEC, fetch_parts, parts_folder, unpack_pyodide
from ..text_file import write_text_file
from . import addresses

_PACKAGE = "tidegauge_reports.playground"


def playground_page(environment: Environment) -> str:
    """The page; the rest of the folder is `write_playground_files`."""
    style = Markup(packaged(_PACKAGE, "style.css"))
    page = environment.get_template("playground.html.j2")
    return page.render(playground_style=style, wheel=MSGSPEC.file)


def write_playground_files(site: Path) -> None:
    """Everything beside the page, into the site's folder; parts that are missing are fetched first. Raises
    `BadInput` and `OSError`."""
    parts = parts_folder()
    fetch_parts(parts)
    folder = (site / addresses.PLAYGROUND).parent
    pyodide = folder / "pyodide"
    pyodide.mkdir(parents=True, exist_ok=True)
    unpack_pyodide(parts, pyodide)
    copyfile(parts / MSGSPEC.file, folder / MSGSPEC.file)
    (folder / "kit.zip").write_bytes(kit_archive())
    write_text_file(folder / "page.js", packaged(_PACKAGE, "page.js"))
