"""`tidegauge run --watch`: the run again, whenever a file of the project changes."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from watchfiles import Change, DefaultFilter, watch

from ..engine.parent_death import ending_with_parent
from .console import OUT
from .terminal_text import inline

_MILLISECONDS = 200
_MOST_NAMED = 3


class ChangesOfOthers(DefaultFilter):
    """Changes that the run does not make itself: in its folder `out`, or in the file that it prints into."""

    def __init__(self, out: Path) -> None:
        super().__init__(ignore_paths=[out.resolve()])

    def __call__(self, change: Change, path: str) -> bool:
        """Whether a change is one of those."""
        return super().__call__(change, path) and not _is_printed_into(path)


def _is_printed_into(path: str) -> bool:
    try:
        return any(os.path.samestat(os.stat(path), os.fstat(descriptor)) for descriptor in (1, 2))
    except OSError:  # the file is gone, or nothing is printed anywhere
        return False


def run_again_and_again(arguments: Sequence[str], folder: Path, out: Path) -> None:
    """Run `tidegauge` with the arguments, and again after each change below `folder` but in `out`, until it
    is interrupted."""
    run = [sys.executable, "-m", "tidegauge", *arguments]
    is_first = True
    others = ChangesOfOthers(out)
    # the first yield says that changes are noticed from now on, those during a run, too
    for changes in watch(folder, watch_filter=others, yield_on_timeout=True, rust_timeout=_MILLISECONDS):
        if not changes and not is_first:
            continue
        if changes:
            changed = sorted({Path(path).name for _, path in changes})
            OUT.rule(inline(f"changed: {', '.join(changed[:_MOST_NAMED])}"))
            sys.stdout.flush()  # before the next run, whose output comes from another process
        is_first = False
        subprocess.run(run, check=False, preexec_fn=ending_with_parent())
        OUT.print(f"Watching {inline(str(folder))}; Ctrl-C ends it.", soft_wrap=True)
        sys.stdout.flush()
