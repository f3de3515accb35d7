"""States with a time to live. Python workers of Spark import this module: it knows nothing of the kit."""


def refuse_ttl(state: str, milliseconds: int | None) -> None:
    """Raises `ValueError` for a state that Spark forgets after `milliseconds` of the wall clock."""
    if milliseconds is not None:
        raise ValueError(
            f"state {state!r} has ttlDurationMs={milliseconds}: Spark forgets states by the wall clock, in "
            "time mode ProcessingTime only, which cannot be tested here; leave ttlDurationMs out, and clear "
            "the state by a timer"
        )
