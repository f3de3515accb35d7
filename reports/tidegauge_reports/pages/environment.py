"""Templates in which every expression is cleaned, cut and escaped before it reaches a page."""

from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tidegauge.words.numbers import counted, duration

from ..text import finalized, in_natural_order, line_by_line, pairs, prose, short


def page_environment(package: str) -> Environment:
    """The environment for the folder `templates` of a package."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        finalize=finalized,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        duration=duration,
        line_by_line=line_by_line,
        natural=in_natural_order,
        pairs=pairs,
        prose=prose,
        short=short,
    )
    environment.globals.update(counted=counted)
    return environment


def style_sheet(package: str) -> Markup:
    """The common style followed by the `style.css` of a package."""
    return Markup(packaged(__package__, "base.css") + packaged(package, "style.css"))


def packaged(package: str, name: str) -> str:
    """A text file of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")
