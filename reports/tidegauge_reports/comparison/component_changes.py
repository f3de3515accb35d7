"""In how many scenarios an engine failed and gave no answer, before and now."""

from dataclasses import dataclass

from msgspec.structs import replace

from tidegauge.wire.results import ComponentResult, Results


@dataclass(frozen=True)
class ComponentChange:
    """A component whose numbers of failing scenarios or of errors changed; None where it is not in a run."""

    old: ComponentResult | None
    new: ComponentResult | None

    @property
    def name(self) -> str:
        """The name of the component."""
        return next(one.component for one in (self.new, self.old) if one is not None)

    @property
    def worse(self) -> bool:
        """Whether errors appeared, or became more in as many scenarios. A component that was not in the old
        run does not count."""
        if self.old is None or self.new is None or self.new.errors <= self.old.errors:
            return False
        return not self.old.errors or self.new.scenarios == self.old.scenarios


def component_changes(old: Results, new: Results) -> list[ComponentChange]:
    """The components that changed, those of the new run first."""
    before, after = _components(old), _components(new)
    changes = [ComponentChange(before.get(name), after.get(name)) for name in {**after, **before}]
    return [change for change in changes if _numbers(change.old) != _numbers(change.new)]


def _numbers(found: ComponentResult | None) -> tuple[int, int]:
    return (0, 0) if found is None else (found.failing, found.errors)


def _components(results: Results) -> dict[str, ComponentResult]:
    """The components by their names, with the errors of the whole document."""
    found = {one.component: one for one in results.components}
    errors: dict[str, int] = {}
    for error in results.errors:
        errors[error.component] = errors.get(error.component, 0) + error.scenarios
        found.setdefault(
            error.component,
            ComponentResult(component=error.component, scenarios=error.of, failing=0, errors=0),
        )
    return {name: replace(one, errors=max(one.errors, errors.get(name, 0))) for name, one in found.items()}
