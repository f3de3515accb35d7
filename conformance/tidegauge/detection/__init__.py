"""How much the kit detects: wrong engines of every kind against its suites, and a score."""
