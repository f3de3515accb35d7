"""Two runs compared: what an engine lost, gained, and what else changed."""
