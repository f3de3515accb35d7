"""Shows the progress of a run from its journal."""

from ..run.expected_time import about
from ..run.journal import Finished, JournalReader, Started
from ..run.progress import RunProgress
from ..run.workers import RunningItems
from ..words.numbers import counted
from .console import OUT
from .terminal_text import inline, lines

_LONGEST_FAILURE = 1500
_POLL_SECONDS = 0.25


def followed(running: RunningItems, progress: RunProgress, fail_fast: bool, quiet: bool) -> str:
    """Start the items of a run and follow the journal until they have ended. The first failure is shown at
    once.

    Args:
        running: the items, which have not begun.
        progress: receives the events of the journal.
        fail_fast: whether the first failure stops the run.
        quiet: whether only the progress is shown.

    Returns:
        The first failure in the form in which it is shown; an empty text if there was none.
    """
    reader = JournalReader(running.folder)
    events = reader.new_events()  # before the items: those finished by now are of the run that is resumed
    running.start()
    ended, first = False, ""
    while True:
        progress.session(events, running.marks())
        for event in events:
            if isinstance(event, Started) and progress.declared_seconds is not None and not quiet:
                items = counted(len(event.planned), "item")
                OUT.print(f"{items}: {about(progress.declared_seconds)} on two free cores")
            elif isinstance(event, Finished) and event.outcome == "failed" and not first:
                number, first = _in_short(event.text)
                if not quiet:
                    _print_first_failure(event.item, number, first)
                if fail_fast:
                    running.stop()
        if ended:
            break
        ended = running.are_over(_POLL_SECONDS)
        events = reader.new_events()
    return first


def _print_first_failure(item: str, number: str, failure: str) -> None:
    OUT.print(f"First difference, in {inline(item)}: {inline(number)}", soft_wrap=True)
    OUT.print(f"{lines(failure, _LONGEST_FAILURE)}\n", soft_wrap=True)


def _in_short(text: str) -> tuple[str, str]:
    """Return the first line of a failure, which has the number of failing scenarios, and the smallest
    failure. The scenario as JSON and the replay command are removed: they are useful only after the run."""
    said, _, failure = text.partition("\n")
    for rest in ("\n\n", "\nReplay: "):
        failure = failure.partition(rest)[0]
    return said, failure or said
