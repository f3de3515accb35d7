"""What the chapters of the components are about."""

_TITLES = {
    "time": "Timestamps",
    "clock": "The input activity clock",
    "generator": "Watermark generators and strategies",
    "idleness": "Idleness",
    "splits": "Splits of a source, inputs of an operator",
    "valve": "The status-watermark valve",
    "source": "The source subtask under alignment",
    "coordinator": "The source coordinator",
    "low_watermark": "The low-watermark service",
    "backlog": "Backlog by watermark lag",
    "window": "Windows and lateness",
    "job": "Whole jobs",
}


def chapter_title(component: str) -> str:
    """What the chapter of a component is about."""
    return _TITLES.get(component, f"The component {component}")
