"""The executable semantics of the specification: small pure Python, standard library only.

One module a chapter. `cite` names the rule that a decision, or a step without one, follows. A component's
methods are the steps of its chapter; they return the outputs of the step as tuples whose first element names
the output, and raise an error of `errors` when the step is refused.
"""

from .citation import citations, cite
from .errors import IllegalArgument, IllegalState, Unsupported
from .policies import CORE, FLINK_2_3, PROFILES, Policies
from .timestamps import MAX, MIN
from .valve import Valve

__all__ = [
    "CORE",
    "FLINK_2_3",
    "MAX",
    "MIN",
    "PROFILES",
    "IllegalArgument",
    "IllegalState",
    "Policies",
    "Unsupported",
    "Valve",
    "citations",
    "cite",
]
