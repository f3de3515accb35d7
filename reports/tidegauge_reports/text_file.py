"""A view as a file: in UTF-8, with the same line ends on every machine."""

from pathlib import Path


def write_text_file(path: Path, text: str) -> Path:
    """Write the file, and make its folder if need be; its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return path
