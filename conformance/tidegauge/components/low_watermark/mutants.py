"""Wrong low-watermark services."""

from ...mutants.mutant import MutantsOfModule, at_scale
from .mutants_of_scale import LOW_WATERMARK_MUTANTS_OF_SCALE

_service = MutantsOfModule("low_watermark", "low_watermark")

LOW_WATERMARK_MUTANTS = (
    _service(
        "empty-task-ends",
        ("LOW-8", "LOW-13"),
        "FLINK-4341",
        "A task without partitions emits MAX instead of the low watermark.",
        ('("low-watermark", task.notified, ', '("low-watermark", MAX, '),
        ("task.current = task.notified", "task.current = MAX"),
    ),
    _service(
        "end-counts",
        ("LOW-8",),
        "C5",
        "A task that has read all its records takes part with MAX, which becomes the final result.",
        (' if not cite("LOW-8", low == MAX)', ""),
    ),
    _service(
        "answers-anyway",
        ("LOW-2",),
        "C16",
        "A task that does not cooperate replies to queries.",
        (('        if cite("LOW-2", not vertex.cooperating):\n            return []\n'), ""),
    ),
    _service(
        "obeys-anyway",
        ("LOW-2",),
        "C18",
        "A task that does not cooperate emits the values it is notified of.",
        ('cite("LOW-2", not vertex.cooperating) or ', ""),
    ),
    _service(
        "first-reply-decides",
        ("LOW-3",),
        "C12",
        "The round ends with the first reply, and the slower tasks do not count.",
        (
            '        if cite("LOW-3", vertex.awaited != ()):\n            return []\n',
            "        vertex.awaited = ()\n",
        ),
    ),
    _service(
        "result-falls",
        ("LOW-10", "LOW-7"),
        "MZ-6864",
        "The result is derived from the replies alone: a task that starts below the last result lowers it.",
        (' if cite("LOW-7", self._counts(vertex, number, low))', " if low > MIN"),
        ("lowest > vertex.result", "lowest != vertex.result"),
    ),
    _service(
        "echo-counts",
        ("LOW-7",),
        "C14",
        "Every reply counts, so that an empty task that echoes the last result stops it from rising.",
        (' if cite("LOW-7", self._counts(vertex, number, low))', ""),
    ),
    _service(
        "tells-every-round",
        ("LOW-10",),
        "C26",
        "A round without a new result sends the last result again.",
        ('if not cite("LOW-10", lowest > vertex.result):', "if lowest == MIN:"),
    ),
    _service(
        "largest-decides",
        ("LOW-9",),
        "C13",
        "The result is the largest reply.",
        ('smallest("LOW-9", counting, default=vertex.result)', "max(counting, default=vertex.result)"),
    ),
    _service(
        "old-replies-kept",
        ("LOW-5",),
        "C23",
        "A trigger queries the tasks again but keeps the replies of the round before.",
        ("            vertex.replies = ()\n", ""),
        (
            "vertex.triggered = timestamp",
            "vertex.triggered = timestamp\n"
            "            replied = dict(vertex.replies)\n"
            "            vertex.awaited = tuple(task for task in vertex.awaited if task not in replied)",
        ),
    ),
    _service(
        "replies-counted-by-number",
        ("LOW-3",),
        "C12",
        "The round ends with as many replies as there are tasks, whatever their senders.",
        ("tuple(awaited for awaited in vertex.awaited if awaited != task)", "vertex.awaited[1:]"),
    ),
    _service(
        "first-reply-kept",
        ("LOW-6",),
        "C23",
        "The first reply of a task counts, although it may be a late one of the round before.",
        ("{**dict(vertex.replies), task: low_watermark}", "{task: low_watermark, **dict(vertex.replies)}"),
    ),
    _service(
        "gone-is-awaited",
        ("LOW-4",),
        "C3",
        "A round waits for a task that has left, and does not end before the next trigger.",
        ('cite("LOW-4", task in vertex.awaited)', "False"),
    ),
    _service(
        "asked-are-told",
        ("LOW-10",),
        "C15",
        "The tasks that replied are notified, but not a task that joined in mid-round.",
        (
            ("        vertex.replies = ()\n        lowest"),
            ("        asked, vertex.replies = dict(vertex.replies), ()\n        lowest"),
        ),
        ("for number in vertex.there)", "for number in vertex.there if number in asked)"),
    ),
    _service(
        "everybody-is-asked",
        ("LOW-1",),
        "C8",
        "The tasks of all vertices are queried, including those of operators.",
        ('vertex.there if cite("LOW-1", vertex.source and vertex.cooperating) else ()', "vertex.there"),
    ),
    _service(
        "unasked-reply-counts",
        ("LOW-5",),
        "C23",
        "A reply counts whatever its sender, also from a task that was not queried.",
        ('cite("LOW-5", task not in vertex.awaited)', "not vertex.awaited"),
    ),
    _service(
        "told-with-partitions",
        ("LOW-14",),
        "C20",
        "A task emits the value it was notified of although it has partitions, and makes their records late.",
        ('cite("LOW-14", task.partitions) or ', ""),
    ),
    _service(
        "told-is-forgotten",
        ("LOW-13",),
        "C4",
        "A task whose partitions are gone waits for the next notification.",
        (
            "partitions = count > 0\n        return self._emit_if_empty(vertex, task)",
            "partitions = count > 0\n        return []",
        ),
    ),
    _service(
        "told-max-is-passed-over",
        ("LOW-13",),
        "C21",
        "A task that is notified of MAX keeps the value before, and emits it once its partitions are gone.",
        (
            "        vertex.tasks[task].notified = low_watermark\n",
            "        if low_watermark < MAX:\n            vertex.tasks[task].notified = low_watermark\n",
        ),
    ),
    _service(
        "told-the-largest",
        ("LOW-13",),
        "C21",
        "Of the values that a task is notified of it keeps the largest, not the last.",
        (
            "vertex.tasks[task].notified = low_watermark",
            "vertex.tasks[task].notified = max(vertex.tasks[task].notified, low_watermark)",
        ),
    ),
    _service(
        "told-is-not-current",
        ("LOW-11", "LOW-13"),
        "C20",
        "What a task has emitted on behalf of others is no part of its replies, and is emitted again.",
        ("        task.current = task.notified\n", ""),
    ),
    _service(
        "gone-has-replied",
        ("LOW-6",),
        "C23",
        "A further reply of a task that has left is ignored.",
        (
            '        vertex = self._vertex(name)\n        if not cite("LOW-6"',
            "        vertex = self._vertex(name)\n"
            "        if task not in vertex.there:\n            return []\n"
            '        if not cite("LOW-6"',
        ),
    ),
    _service(
        "newest-watermark-replied",
        ("LOW-11",),
        "C25",
        "A task replies with the newest watermark of its source, even if a greater one was emitted.",
        (
            (
                '        if cite("LOW-11", timestamp > emitting.current):\n'
                "            emitting.current = timestamp\n"
            ),
            "        emitting.current = timestamp\n",
        ),
    ),
    _service(
        "minus-one-is-the-last",
        ("LOW-15",),
        "C22",
        "The task -1 is treated as the last one that has started.",
        (
            "not set(tasks) <= set(self.vertices[name].there)",
            "not set(tasks) <= {-1, *self.vertices[name].there}",
        ),
    ),
    _service(
        "restored-without-its-result",
        ("LOW-16",),
        "C14",
        "After a restart the last result is lost, and an older one counts as new.",
        (
            "for tasks, *rest in saved]\n",
            "for tasks, *rest in saved]\n        for vertex in restored:\n            vertex.result = MIN\n",
        ),
    ),
    _service(
        "does-nothing",
        (),
        "an unfinished service",
        "Every step is accepted and nothing is ever output.",
        (
            '"""It is `timestamp` (ms), time for a new round: the coordinators ask their tasks."""',
            "return []",
        ),
        (
            '"""A reply (ms) arrives at the coordinator; the task that sent it may have left since."""',
            "return []",
        ),
        ('"""A task starts, with the next number and without partitions."""', "return []"),
        ('"""A task is gone for good; what it has replied stays."""', "return []"),
        ('"""The task\'s source has emitted a watermark (ms) of its own."""', "return []"),
        ('"""The task has `count` partitions from now on."""', "return []"),
        ('"""The question of the round of `timestamp` (ms) arrives at the task."""', "return []"),
        ('"""The result (ms) of the round of `timestamp` (ms) arrives at the task."""', "return []"),
    ),
    at_scale(
        "33-tasks",
        _service(
            "of-32-tasks",
            ("LOW-1",),
            "a mask of 32 bits",
            "Only the first 32 tasks of a vertex are asked.",
            ("vertex.awaited = vertex.there if cite", "vertex.awaited = vertex.there[:32] if cite"),
        ),
    ),
    at_scale(
        "65-tasks",
        _service(
            "of-eight-replies",
            ("LOW-9",),
            "an array of fixed length",
            "The result is the minimum of the first eight replies.",
            ('smallest("LOW-9", counting,', 'smallest("LOW-9", counting[:8],'),
        ),
    ),
    at_scale(
        "10000-steps",
        _service(
            "thousand-rounds",
            ("LOW-1",),
            "a counter of three digits",
            "After 999 rounds no task is asked any more.",
            (
                "vertex.triggered = timestamp\n",
                "vertex.triggered = timestamp\n"
                '            self.rounds = getattr(self, "rounds", 0) + 1\n'
                "            vertex.awaited = vertex.awaited if self.rounds < 1000 else ()\n",
            ),
        ),
    ),
    *LOW_WATERMARK_MUTANTS_OF_SCALE,
)
