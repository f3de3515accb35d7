"""The files of a matrix: a page, a text, a picture, and its verdicts as data."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ..text_file import write_text_file
from . import html, markdown, picture
from .columns import Run
from .table import Matrix, build_matrix
from .verdict_table import CSV_FILE_NAME, JSON_FILE_NAME, render_csv, render_json

_VIEWS: dict[str, Callable[[Matrix], str]] = {
    html.FILE_NAME: html.render,
    markdown.FILE_NAME: markdown.render,
    picture.FILE_NAME: picture.render,
    CSV_FILE_NAME: render_csv,
    JSON_FILE_NAME: render_json,
}

FILE_NAMES = list(_VIEWS)


def write_matrix(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Write all files into `folder`, which is created if it does not exist, and return their paths."""
    matrix = build_matrix(runs)
    return [write_text_file(folder / name, render(matrix)) for name, render in _VIEWS.items()]
