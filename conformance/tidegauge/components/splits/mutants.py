"""Wrong combinations of splits and of inputs."""

from ...mutants.mutant import MutantsOfModule, at_scale
from .mutants_of_scale import SPLITS_MUTANTS_OF_SCALE

_splits = MutantsOfModule("splits", "splits")

_RESTORED = "{name: Part(timestamp, idle) for name, timestamp, idle in parts}"

_REGISTERED_WHEN_HEARD = """
        unheard = getattr(self, "unheard", {})
        if name in unheard:
            self.parts[name] = unheard.pop(name)
        if"""

SPLITS_MUTANTS = (
    _splits(
        "max-without-splits",
        ("SPLIT-7",),
        "FLINK-8001",
        "The minimum over no splits is MAX.",
        ('return MIN, self.output.is_idle or self.policies.split_none == "idle"', "return MAX, False"),
    ),
    _splits(
        "stays-active-without-splits",
        ("SPLIT-7",),
        "FLINK-39586",
        "A subtask whose splits have all been removed stays as active as it was.",
        ('self.output.is_idle or self.policies.split_none == "idle"', "self.output.is_idle"),
    ),
    _splits(
        "registered-by-first-record",
        ("SPLIT-1",),
        "FLINK-26018",
        "A split takes part from its first watermark on, not from its assignment.",
        ('if cite("SPLIT-1", len(delivered) < len(active)):', "if not delivered:"),
    ),
    _splits(
        "added-split-unnoticed",
        ("SPLIT-8", "SPLIT-1"),
        "FLINK-22926",
        "A split that is added to an idle subtask does not make it active.",
        ("self.parts[split] = Part()", "self.parts[split] = Part(idle=self.output.is_idle)"),
    ),
    _splits(
        "first-part-wins",
        ("SPLIT-2",),
        "SPARK-22017",
        "The watermark of the first part is used as the minimum.",
        ('smallest("SPLIT-2", caught_up)', "caught_up[0]"),
    ),
    _splits(
        "lower-watermark-accepted",
        ("SPLIT-3",),
        "E28",
        "A part's watermark is the newest, not the largest.",
        (
            ("        if rises:\n            part.watermark = timestamp\n"),
            "        part.watermark = timestamp\n",
        ),
    ),
    _splits(
        "idle-part-counts",
        ("SPLIT-4",),
        "FLINK-18934",
        "An idle part takes part in the minimum as long as another part is active.",
        (
            'if cite("SPLIT-6", not active):',
            "if active:\n            active = [part.watermark for part in left]\n        else:",
        ),
    ),
    _splits(
        "no-flush",
        ("SPLIT-5",),
        "FLINK-38454",
        "When all parts are idle only IDLE is sent, without the largest watermark.",
        ("return self.output.watermark(combined) + self.output.idle()", "return self.output.idle()"),
    ),
    _splits(
        "idle-at-every-update",
        ("SPLIT-6",),
        "E44",
        "IDLE is sent at every update at which all parts are idle.",
        ('return [IDLE] if cite("SPLIT-6", not was_idle) else []', "return [IDLE]"),
    ),
    _splits(
        "silent-resumption",
        ("SPLIT-8",),
        "FLINK-40504",
        "A source stays idle until its watermark rises; a watermark ends the idleness of an operator "
        "without ACTIVE.",
        (
            'return self.active() if self.policies.split_resumption == "any-watermark" else []',
            "return []",
        ),
        ('resumes = was_idle and self.policies.split_resumption == "any-watermark"', "resumes = False"),
        (
            'self.rising_resumption = policies.split_resumption == "rising-watermark"',
            "self.rising_resumption = True",
        ),
        (
            'self.silent_resumption = policies.split_resumption == "rising-watermark"',
            "self.silent_resumption = True",
        ),
    ),
    _splits(
        "aligned-like-a-valve",
        ("SPLIT-9",),
        "E50",
        "A part that returns behind the output is excluded until it has caught up, as in a valve.",
        ('if cite("SPLIT-9", len(caught_up) < len(delivered)):', "if not caught_up:"),
    ),
    _splits(
        "nothing-deferred",
        ("SPLIT-10",),
        "E34",
        "Every change is output at once.",
        ('if waits and cite("SPLIT-10"):', "if False:"),
    ),
    _splits(
        "deferred-lost-at-the-tick",
        ("SPLIT-10",),
        "E34",
        "A tick sends nothing: deferred changes are output only together with an immediate change.",
        (('        cite("SPLIT-10")\n        return self._update(waits=False)\n'), "        return []\n"),
    ),
    _splits(
        "finished-and-idle-is-the-end",
        ("SPLIT-11",),
        "FLINK-38477",
        "A finished part counts: with all others idle, event time ends.",
        ('leaves = self.policies.split_finished == "leaves"', "leaves = False"),
    ),
    _splits(
        "updated-before-the-watermark",
        ("SPLIT-2", "SPLIT-10"),
        "RW-21946",
        "The minimum is computed before the new watermark is stored.",
        (("        if rises:\n            part.watermark = timestamp\n"), ""),
        (
            "        return self._update(waits=deferred or not (resumes or advances))\n",
            (
                "        outputs = self._update(waits=deferred or not (resumes or advances))\n"
                "        if rises:\n"
                "            part.watermark = timestamp\n"
                "        return outputs\n"
            ),
        ),
    ),
    _splits(
        "unknown-is-added",
        ("SPLIT-12",),
        "B5",
        "An unknown split is created by its first watermark or status, and holds the others back.",
        (
            'raise IllegalArgument(f"split or input {name!r} does not exist (SPLIT-12)")',
            "self.parts[name] = Part()",
        ),
    ),
    _splits(
        "added-twice-starts-anew",
        ("SPLIT-12",),
        "E29",
        "A split that is added again loses what it has delivered.",
        ('if cite("SPLIT-12", split in self.parts):', "if False:"),
    ),
    _splits(
        "restored-unregistered",
        ("SPLIT-13", "SPLIT-1"),
        "FLINK-32828",
        "A restored part takes part only from its first watermark or status on.",
        (f"self.parts = {_RESTORED}", f"self.parts, self.unheard = {{}}, {_RESTORED}"),
        (
            '        if cite("SPLIT-12", name not in self.parts)',
            f'{_REGISTERED_WHEN_HEARD} cite("SPLIT-12", name not in self.parts)',
        ),
    ),
    _splits(
        "restored-awake",
        ("SPLIT-13",),
        "E49",
        "After a restart every part is active, and formerly idle parts take part in the minimum.",
        (_RESTORED, "{name: Part(timestamp) for name, timestamp, _ in parts}"),
    ),
    _splits(
        "fastest-split-wins",
        (
            *("SPLIT-1", "SPLIT-2", "SPLIT-3", "SPLIT-4", "SPLIT-5", "SPLIT-6", "SPLIT-7", "SPLIT-8"),
            *("SPLIT-9", "SPLIT-10", "SPLIT-11", "SPLIT-12"),
        ),
        "a watermark taken over all rows of a source",
        "One watermark for all splits, starting in 1970: the largest that any split delivered; without "
        "status and end.",
        (
            '"""The part promises that everything up to `timestamp` (ms) has arrived; `MAX` ends it."""',
            "return self.output.watermark(timestamp) if -1 < timestamp < MAX else []",
        ),
        ('"""The part has no data for now and is not to be waited for."""', "return []"),
        ('"""The part has data again."""', "return []"),
        ('"""A split is assigned."""', "return []"),
        ('"""A split is finished or taken away; nothing happens if it is not there."""', "return []"),
        ('"""The periodic emit."""', "return []"),
    ),
    _splits(
        "does-nothing",
        (),
        "an unfinished combination",
        "Every step is accepted and nothing is ever output.",
        (
            '"""The part promises that everything up to `timestamp` (ms) has arrived; `MAX` ends it."""',
            "return []",
        ),
        ('"""The part has no data for now and is not to be waited for."""', "return []"),
        ('"""The part has data again."""', "return []"),
        ('"""A split is assigned."""', "return []"),
        ('"""A split is finished or taken away; nothing happens if it is not there."""', "return []"),
        ('"""The periodic emit."""', "return []"),
    ),
    at_scale(
        "65-inputs",
        _splits(
            "of-one-word",
            ("SPLIT-2",),
            "a bit set of 64 bits",
            "The minimum excludes the splits and inputs from the 65th on.",
            (
                "left = [p for p in self.parts.values() if",
                "left = [p for p in list(self.parts.values())[:64] if",
            ),
        ),
    ),
    at_scale(
        "names",
        _splits(
            "names-of-64-characters",
            ("SPLIT-12",),
            "a column of fixed length",
            "Of the name of a split the first 64 characters count.",
            (
                "        self.parts[split] = Part()",
                "        self.parts[split[:64]] = Part()",
            ),
        ),
    ),
    at_scale(
        "names",
        _splits(
            "names-without-case",
            ("SPLIT-12",),
            "names compared without case",
            "A split whose name differs from another's in case only is taken for it.",
            (
                'if cite("SPLIT-12", split in self.parts):',
                'if cite("SPLIT-12", split.lower() in {str(name).lower() for name in self.parts}):',
            ),
        ),
    ),
    at_scale(
        "at-2-53",
        _splits(
            "watermark-as-a-double",
            ("SPLIT-2",),
            "doubles for whole numbers",
            "The minimum is computed with doubles, which are exact up to 2^53.",
            (
                'return smallest("SPLIT-2", caught_up), False',
                'return int(float(smallest("SPLIT-2", caught_up))), False',
            ),
        ),
    ),
    *SPLITS_MUTANTS_OF_SCALE,
)
