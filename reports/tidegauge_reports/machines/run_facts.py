"""Which engine was tested and how, as names and values: what `junit.xml` and Allure say of a run."""

from tidegauge.wire.results import Results


def run_facts(results: Results) -> dict[str, str]:
    """The engine under test and how it was tested."""
    return {
        "engine": f"{results.implementation.name} {results.implementation.version}",
        "layer": results.implementation.layer,
        "profile": results.profile,
        "spec": results.spec,
        "seed": str(results.seed),
        "budget": results.budget,
    }
