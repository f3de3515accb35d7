"""From transcripts to verdicts: the oracle, the comparison, the blame, the smallest counterexample."""
