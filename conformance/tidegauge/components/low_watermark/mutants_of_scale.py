"""Faulty low-watermark services that only scenarios of scale detect."""

from typing import Any

from tidegauge_reference.choices import smallest
from tidegauge_reference.citation import cite
from tidegauge_reference.errors import IllegalArgument
from tidegauge_reference.timestamps import MAX

from ...mutants.mutant import Mutant, at_scale


def _last_part_of_the_name(self: Any, name: str, *tasks: int) -> Any:
    last = name.rpartition("/")[2]
    alike = [known for known in self.vertices if known.rpartition("/")[2] == last]
    if cite("LOW-15", not alike or not set(tasks) <= set(self.vertices[alike[0]].there)):
        raise IllegalArgument(f"{name} or its task {tasks} is not there (LOW-15)")
    return self.vertices[alike[0]]


def _result_as_a_double(self: Any, vertex: Any, task: int) -> Any:
    vertex.awaited = tuple(awaited for awaited in vertex.awaited if awaited != task)
    if cite("LOW-3", vertex.awaited != ()):
        return []
    running = [(number, low) for number, low in vertex.replies if not cite("LOW-8", low == MAX)]
    counting = [low for number, low in running if cite("LOW-7", self._counts(vertex, number, low))]
    vertex.replies = ()
    lowest = int(float(smallest("LOW-9", counting, default=vertex.result)))
    if not cite("LOW-10", lowest > vertex.result):
        return []
    vertex.result = lowest
    told = (f"{vertex.name}/{number}" for number in vertex.there)
    return [("notify-new-low-watermark", lowest, vertex.triggered, task) for task in told]


def _replies_in_a_byte(self: Any, name: str, task: int, low_watermark: int) -> Any:
    vertex = self._vertex(name)
    task = task % 256 if task > 255 else task
    if not cite("LOW-6", task in dict(vertex.replies)) and cite("LOW-5", task not in vertex.awaited):
        return []
    vertex.replies = tuple(sorted({**dict(vertex.replies), task: low_watermark}.items()))
    return self._await_no_more(vertex, task)


def _every_256th_retrieval(self: Any, name: str, task: int, timestamp: int) -> Any:
    del timestamp  # a reply does not name its round
    vertex = self._vertex(name, task)
    self.retrieved = getattr(self, "retrieved", 0) + 1
    if cite("LOW-2", not vertex.cooperating) or self.retrieved % 256 == 0:
        return []
    cite("LOW-11")
    return [("reply-low-watermark", f"{name}/{task}", vertex.tasks[task].current)]


LOW_WATERMARK_MUTANTS_OF_SCALE = (
    at_scale(
        "names",
        Mutant(
            "low-watermark-last-part-of-the-name",
            "low_watermark",
            "low_watermark",
            ("LOW-15",),
            "a key without the job",
            "Vertices of different jobs are merged if they have the same vertex id.",
            functions=(("LowWatermarkService._vertex", _last_part_of_the_name),),
        ),
    ),
    at_scale(
        "apart-2-53",
        Mutant(
            "low-watermark-result-as-a-double",
            "low_watermark",
            "low_watermark",
            ("LOW-9",),
            "doubles for whole numbers",
            "The result of a round is a double, which is exact only up to 2^53.",
            functions=(("LowWatermarkService._await_no_more", _result_as_a_double),),
        ),
    ),
    at_scale(
        "257-tasks",
        Mutant(
            "low-watermark-replies-in-a-byte",
            "low_watermark",
            "low_watermark",
            ("LOW-3",),
            "a number of 8 bits",
            "A reply of task 256 counts as a reply of task 0.",
            functions=(("LowWatermarkService.reply", _replies_in_a_byte),),
        ),
    ),
    at_scale(
        "repeated",
        Mutant(
            "low-watermark-every-256th-retrieval",
            "low_watermark",
            "low_watermark",
            ("LOW-11",),
            "a counter of 8 bits",
            "Every 256th query gets no answer.",
            functions=(("LowWatermarkService.retrieve", _every_256th_retrieval),),
        ),
    ),
)
