"""Golden vectors as pictures: each step, with the outputs that are expected."""

from markupsafe import Markup

from tidegauge.vectors.published import Vector

from ..histories.timeline import scenario_svg
from .vector_tables import as_wire


def vector_figure(vector: Vector) -> Markup:
    """The timeline of a vector under the policies that it lists first; empty if its component has none."""
    wire = as_wire(vector)
    return Markup(scenario_svg(wire["scenario"], wire["expected"][0]["outputs"]))


def figure_policies(vector: Vector) -> dict[str, str]:
    """The policies under which the outputs of the figure are expected; empty if they depend on none."""
    return vector.expected[0].policies
