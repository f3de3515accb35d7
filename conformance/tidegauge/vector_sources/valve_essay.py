"""The essay's own examples, for the valve. Times of day are ms since midnight."""

from .written import ACTIVE, IDLE, active, idle, valve_vector, watermark


def _at(hour: int, minute: int) -> int:
    return (hour * 60 + minute) * 60_000


VECTORS = (
    valve_vector(
        "essay-one-upstream",
        "A watermark of 11:45 from the only upstream is the operator's watermark",
        "E5, E6, E27",
        ("VALVE-2",),
        1,
        [watermark(0, _at(11, 45), _at(11, 45))],
    ),
    valve_vector(
        "essay-late-channel",
        "One channel is past 12:30, another still delivers 11:44: time is 11:44 until it moves",
        "E10, E29, E41",
        ("VALVE-1", "VALVE-2"),
        2,
        [
            watermark(0, _at(12, 30)),
            watermark(1, _at(11, 44), _at(11, 44)),
            watermark(0, _at(12, 31)),
            watermark(1, _at(11, 45), _at(11, 45)),
        ],
    ),
    valve_vector(
        "essay-one-minute",
        "Watermarks are data time minus one minute: data of 12:30, then one of 11:44 that moves nothing back",
        "E10, E18, E28, E48",
        ("VALVE-3", "VALVE-4"),
        1,
        [
            watermark(0, _at(12, 29), _at(12, 29)),
            watermark(0, _at(11, 43)),
            watermark(0, _at(12, 29)),
            watermark(0, _at(12, 30), _at(12, 30)),
        ],
    ),
    valve_vector(
        "essay-kafka-without-data",
        "Several inputs, one without data: as soon as it is idle it is treated as empty",
        "E39, E41, E42, E44, E45",
        ("VALVE-1", "VALVE-6"),
        3,
        [
            watermark(0, _at(11, 44)),
            watermark(1, _at(11, 45)),
            idle(2, _at(11, 44)),
            watermark(0, _at(11, 50), _at(11, 45)),
        ],
    ),
    valve_vector(
        "essay-resumed-in-time",
        "A channel that comes back level with the output counts again at once",
        "E46",
        ("VALVE-8",),
        2,
        [
            watermark(0, _at(11, 45)),
            watermark(1, _at(11, 45), _at(11, 45)),
            idle(1),
            active(1),
            watermark(0, _at(11, 50)),
            watermark(1, _at(11, 47), _at(11, 47)),
        ],
    ),
    valve_vector(
        "essay-resumed-lagging",
        "A channel resumes long ago: time does not jump back, and is not held, until it has caught up",
        "E47, E48, E49, E50, E51, E52",
        ("VALVE-9", "VALVE-10", "VALVE-4"),
        2,
        [
            watermark(0, 5),
            watermark(1, 4, 4),
            idle(1, 5),
            watermark(0, 10, 10),
            active(1),
            watermark(1, 7),
            watermark(0, 12, 12),
            watermark(1, 12),
            watermark(0, 20),
            watermark(1, 15, 15),
        ],
    ),
    valve_vector(
        "essay-all-idle-and-back",
        "IDLE goes downstream when the last channel goes, ACTIVE when the first comes back",
        "E44, E46",
        ("VALVE-13", "VALVE-14", "VALVE-7"),
        2,
        [idle(0), idle(1, IDLE), idle(1), active(0, ACTIVE), active(0), active(1)],
    ),
)
