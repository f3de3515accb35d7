"""The specification to browse: chapters, reference code, scenarios, wrong engines, known bugs, verdicts."""
