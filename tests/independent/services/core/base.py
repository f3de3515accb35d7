"""Shared bits: 64-bit time, refusals, snapshot by copying the attributes of an engine."""
import copy

from tidegauge import IllegalArgument, IllegalState, Unsupported  # noqa: F401

MIN, MAX = -(2**63), 2**63 - 1


def plus(a, b):
    return max(MIN, min(MAX, a + b))


class Stateful:
    """Engines keep all of their state in attributes; FIXED names the ones that are setup."""

    FIXED = ()

    def snapshot(self):
        return copy.deepcopy({k: v for k, v in vars(self).items() if k not in self.FIXED})

    def restore(self, saved):
        vars(self).update(copy.deepcopy(saved))
