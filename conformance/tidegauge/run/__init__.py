"""A run: the request, the plan, the suites under pytest, the journal, and `results.json` made from it."""
