"""How much the kit detects: mutants of every kind against its suites, and a score."""
