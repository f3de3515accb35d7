"""Elements of a drawing. Every text and attribute passes through here and is escaped here."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from .text import shown

CHARACTER_WIDTH = 6.5
"""A cautious width (px) of a character of a label; labels are set in 11 px."""

_ALWAYS_CLOSED = ("title", "desc", "style", "text")


def element(name: str, *children: Markup | str, **attributes: str | float | None) -> Markup:
    """An element; `class_` and `text_anchor` stand for `class` and `text-anchor`, None leaves out. Markup is
    ours and stays whole, other texts are cleaned and cut."""
    written = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _attribute(value))
        for key, value in attributes.items()
        if value is not None
    )
    content = Markup("").join(
        child if isinstance(child, Markup) else escape(shown(child)) for child in children
    )
    if not content and name not in _ALWAYS_CLOSED:
        return Markup("<{0}{1}/>").format(Markup(name), written)
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), written, content)


def _attribute(value: str | float) -> str:
    if isinstance(value, Markup):
        return value
    return shown(value) if isinstance(value, str) else f"{round(value, 1):g}"


def label(text: str, x: float, y: float, style: str = "", anchor: str = "middle") -> Markup:
    """A line of text at (x, y); `anchor` says which part of it stands there."""
    return element("text", text, x=x, y=y, class_=f"label {style}".strip(), text_anchor=anchor)


def centered(text: str, x: float, y: float, style: str = "") -> Markup:
    """A line of text with its middle at (x, y), in a drawing whose own `text-anchor` is `middle`."""
    return element("text", text, x=x, y=y, class_=f"label {style}".strip())


def path(points: Sequence[tuple[float, float]], style: str) -> Markup:
    """A line through points; nothing if there are fewer than two."""
    if len(points) < 2:
        return Markup("")
    steps = " L".join(f"{_attribute(x)} {_attribute(y)}" for x, y in points)
    return element("path", d=Markup(f"M{steps}"), class_=style, fill="none")


def stairs(points: list[tuple[float, float]], style: str) -> Markup:
    """A line through points that are above or beside one another, in a drawing whose own `fill` is `none`;
    nothing if there are fewer than two."""
    if len(points) < 2:
        return Markup("")
    (x, y), drawn = points[0], [f"M{_attribute(points[0][0])} {_attribute(points[0][1])}"]
    for to_x, to_y in points[1:]:
        if to_y == y and drawn[-1].startswith("H"):
            drawn[-1] = f"H{_attribute(to_x)}"
        elif to_y == y and to_x != x:
            drawn.append(f"H{_attribute(to_x)}")
        elif to_y != y:
            drawn += [f"H{_attribute(to_x)}"] * (to_x != x) + [f"V{_attribute(to_y)}"]
        x, y = to_x, to_y
    return element("path", d=Markup("".join(drawn)), class_=style)


def line(x1: float, y1: float, x2: float, y2: float, style: str) -> Markup:
    """A straight line."""
    return path([(x1, y1), (x2, y2)], style)


def box(x: float, y: float, width: float, height: float, style: str) -> Markup:
    """A rectangle."""
    return element("rect", x=x, y=y, width=width, height=height, class_=style)


def dot(x: float, y: float, style: str) -> Markup:
    """A round point."""
    return element("circle", cx=x, cy=y, r=3.6, class_=style)


def known(x: float, y: float, style: str) -> Markup:
    """A small point on a line: here its course is known."""
    return element("circle", cx=x, cy=y, r=2.4, class_=f"known {style}")


def diamond(x: float, y: float, style: str) -> Markup:
    """A point standing on its tip."""
    return element(
        "path", d=f"M{x:g} {y - 5:g} L{x + 5:g} {y:g} L{x:g} {y + 5:g} L{x - 5:g} {y:g} Z", class_=style
    )


def cross(x: float, y: float, style: str) -> Markup:
    """A cross: something that was refused."""
    d = f"M{x - 4:g} {y - 4:g} L{x + 4:g} {y + 4:g} M{x - 4:g} {y + 4:g} L{x + 4:g} {y - 4:g}"
    return element("path", d=d, class_=style, fill="none")


def triangle(x: float, y: float, style: str) -> Markup:
    """A point standing on its side, with its tip up."""
    return element("path", d=f"M{x:g} {y - 5:g}l4.6 8.4h-9.2z", class_=style)


def marker(x: float, y: float, shape: int, style: str) -> Markup:
    """A point in one of four shapes: circle, diamond, square, triangle."""
    if shape == 0:
        return element("circle", cx=x, cy=y, r=4, class_=style)
    corners = {
        1: [(x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y)],
        2: [(x - 4, y - 4), (x + 4, y - 4), (x + 4, y + 4), (x - 4, y + 4)],
    }.get(shape, [(x, y - 5), (x + 5, y + 4), (x - 5, y + 4)])
    steps = " L".join(f"{_attribute(a)} {_attribute(b)}" for a, b in corners)
    return element("path", d=f"M{steps} Z", class_=style)


def text_width(text: str) -> float:
    """About how wide (px) a label is."""
    return len(text) * CHARACTER_WIDTH
