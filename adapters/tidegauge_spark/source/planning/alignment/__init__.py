"""The effects of alignment in one run of a query: the splits that it blocks, and its warnings."""
