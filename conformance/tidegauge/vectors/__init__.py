"""Golden vectors: scenarios that are published with their expected outputs."""
