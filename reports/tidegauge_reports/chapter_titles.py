"""What the chapters of the components are about."""

from tidegauge_spec import load_registry


def chapter_title(component: str) -> str:
    """What the chapter of a component is about."""
    chapter = load_registry().chapters.get(component)
    return chapter.title if chapter is not None else f"The component {component}"
