"""What alignment does in one run of a query: which splits it blocks, and what is worth a warning."""
