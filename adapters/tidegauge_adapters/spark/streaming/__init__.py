"""Processors in real streaming queries: thousands of scenarios at once, restarted from checkpoints."""
