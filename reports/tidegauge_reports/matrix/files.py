"""The files of a matrix: a page, a text and a picture."""

from collections.abc import Sequence
from pathlib import Path

from ..text_file import write_text_file
from . import html, markdown, picture
from .columns import Run
from .table import build_matrix

_VIEWS = (html, markdown, picture)

FILE_NAMES = [view.FILE_NAME for view in _VIEWS]


def write_matrix(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Write all three into `folder`, which is made if need be; their paths."""
    matrix = build_matrix(runs)
    return [write_text_file(folder / view.FILE_NAME, view.render(matrix)) for view in _VIEWS]
