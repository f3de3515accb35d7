"""How an engine came to stand where it stands: its runs in the order of their dates."""
