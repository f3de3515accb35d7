"""The reference implementation as an engine under test: the kit's own plumbing, end to end."""

from collections.abc import Mapping
from functools import partial

from tidegauge import Implementation, __version__
from tidegauge.components.job.binding import OVERSHOOT_MS, REACTION_MS
from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.of_the_reference import OfTheReference
from tidegauge_reference import PROFILES

_REMARK = (
    "The reference agrees with itself by construction: its passing proves nothing about it. What does: the "
    "published vectors, whose answers come from the source documents and from Flink's own tests; the "
    "properties, which ask no reference; and the recorded answers of Apache Flink 2.3.0, which the project's "
    "tests replay under the profile flink-2.3."
)


class ReferenceAdapter(OfTheReference):
    """The reference under the policies of `--option policies=PROFILE` (default `core`)."""

    name = "tidegauge reference"
    version = __version__
    extras = tuple(sorted({extra for component in COMPONENTS.values() for extra in component.extras}))
    known_options = ("policies",)

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self.profile = options.get("policies", "core")
        if self.profile not in PROFILES:
            raise ValueError(f"unknown policies {self.profile!r}; known are {', '.join(PROFILES)}")
        for name, component in COMPONENTS.items():
            setattr(self, name, partial(component.reference, policies=PROFILES[self.profile]))

    def describe(self) -> Implementation:
        """The reference, with a remark on what its passing is worth."""
        described = super().describe()
        return Implementation(
            name=described.name,
            version=described.version,
            capabilities=described.capabilities,
            profile=self.profile,
            options=described.options,
            overshoot="what becomes readable in one update interval (1 s at 10 records a ms), and one record",
            overshoot_ms=OVERSHOOT_MS,
            reaction_ms=REACTION_MS,
            remark=_REMARK,
        )
