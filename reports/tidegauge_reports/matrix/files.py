"""The files of a matrix: a page, a text and a picture."""

from collections.abc import Sequence
from pathlib import Path

from . import html, markdown, picture
from .columns import Run
from .table import build_matrix


def write_matrix(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Write all three into `folder`, which is made if need be; their paths."""
    matrix = build_matrix(runs)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for view in (html, markdown, picture):
        path = folder / view.FILE_NAME
        path.write_text(view.render(matrix), encoding="utf-8", newline="\n")
        written.append(path)
    return written
