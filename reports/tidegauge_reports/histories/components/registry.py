"""The components whose histories have a drawing."""

from .backlog import BACKLOG
from .clock import CLOCK
from .coordinator import COORDINATOR
from .drawing import Drawing
from .generator import GENERATOR
from .idleness import IDLENESS
from .low_watermark import LOW_WATERMARK
from .source import SOURCE
from .splits import SPLITS
from .valve import VALVE
from .window import WINDOW

DRAWINGS: dict[str, Drawing] = {
    "clock": CLOCK,
    "generator": GENERATOR,
    "idleness": IDLENESS,
    "splits": SPLITS,
    "valve": VALVE,
    "source": SOURCE,
    "coordinator": COORDINATOR,
    "low_watermark": LOW_WATERMARK,
    "backlog": BACKLOG,
    "window": WINDOW,
}
