"""`--adapter timely` tests the progress tracking of timely dataflow through the process protocol."""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from tidegauge import Implementation
from tidegauge.wire.unknown_names import unknown

from ..process.adapter import ProcessAdapter
from .driver import timely_driver
from .shapes import SHAPES

_OPTIONS = ("workers", "progress", "driver")
_WORKERS = ("1", "2", "3", "4")
_PROGRESS = ("demand", "eager")

_REMARK = (
    "A dataflow of the released crate: an input for each channel, spread over the workers, `concatenate`, "
    "and an operator that records its frontier. The adapter translates: the watermark t advances an input to "
    "the time t + 1, and MAX closes the input; the frontier f is the watermark f - 1, and the empty frontier "
    "is MAX."
)


class TimelyAdapter(ProcessAdapter):
    """Drives a timely dataflow in a process, with one input handle for each channel of a valve.

    Options:
        workers: number of timely workers, 1 to 4; 1 by default. Channel i is fed on worker i modulo this
            number, so that the workers have to exchange their progress.
        progress: when a worker sends its progress to the others: only if the progress can advance the
            frontier (`demand`, the default, as in timely) or always (`eager`).
        driver: path of the driver; by default, of the driver that
            `python -m tidegauge_adapters.timely.driver` builds.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        for name in options:
            if name not in _OPTIONS:
                raise ValueError(unknown("option", name, _OPTIONS))
        workers, progress = options.get("workers", "1"), options.get("progress", "demand")
        for name, value, known in (("workers", workers, _WORKERS), ("progress", progress, _PROGRESS)):
            if value not in known:
                raise ValueError(unknown(f"value of option {name}", value, known))
        super().__init__({}, (str(_driver(options.get("driver"))), workers, progress))
        self.options = dict(options)

    def describe(self) -> Implementation:
        """Return the driver's description with the shapes and a remark."""
        return replace(super().describe(), shapes=SHAPES, remark=_REMARK)


def _driver(given: str | None) -> Path:
    """Return the path of the given or the built driver. Raises `ValueError` if the file is missing."""
    if given is None:
        return timely_driver().locate()
    if not Path(given).is_file():
        raise ValueError(
            f"option driver={given!r} is not a file; without the option, "
            "python -m tidegauge_adapters.timely.driver builds the driver"
        )
    return Path(given).absolute()
