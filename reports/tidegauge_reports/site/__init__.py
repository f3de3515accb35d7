"""The specification to browse: chapters, reference code, scenarios, mutants, known bugs, verdicts."""
