"""The option of benchmarks that keeps their figures as JSON."""

import argparse
import json
from pathlib import Path
from typing import Any


def add_record_option(parser: argparse.ArgumentParser) -> None:
    """Let a program be given the file for its figures."""
    parser.add_argument("--record", type=Path, help="write the figures into this file, as JSON")


def keep(figures: Any, file: Path | None) -> None:
    """Write figures, anything that JSON has, into a file whose folder may be missing; None: nowhere."""
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
