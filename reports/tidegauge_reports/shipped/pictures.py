"""The matrix of the shipped verdicts, as the README shows it: a picture, a narrow one for telephones, and a
text, each marked with the digest of the verdicts that it was drawn from."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from tidegauge.wire.results import Results

from ..matrix import markdown, picture
from ..matrix.columns import Run
from ..matrix.table import build_matrix
from ..text_file import write_text_file


def drawn_from(document: bytes) -> str:
    """The comment that says from which verdicts a picture was drawn: `document` is what holds them."""
    return f"<!-- drawn from verdicts {sha256(document).hexdigest()} -->\n"


def draw(shipped: Mapping[str, Results], document: bytes, folder: Path) -> list[Path]:
    """Draw the verdicts of the `document` into `folder`; the paths of the files. Engines to which most rules
    apply stand first, the two runs of an engine beside each other."""
    applicable: dict[str, int] = {}
    for results in shipped.values():
        number = len(results.rules) - results.counts["not-applicable"]
        name = results.implementation.name
        applicable[name] = max(number, applicable.get(name, 0))
    widest_first = sorted(shipped.values(), key=lambda results: -applicable[results.implementation.name])
    matrix = build_matrix([Run(results) for results in widest_first])
    drawn = {
        markdown.FILE_NAME: markdown.render(matrix),
        picture.FILE_NAME: picture.render(matrix, picture.WIDE),
        picture.NARROW_FILE_NAME: picture.render(matrix, picture.NARROW),
    }
    return [
        write_text_file(folder / name, f"{text.rstrip()}\n\n{drawn_from(document)}")
        for name, text in drawn.items()
    ]
