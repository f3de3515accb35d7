"""Random traces on which a processor fails a check, and the smallest of them."""
