"""Whole jobs: streaming queries over the aligned source, on its virtual clock."""
