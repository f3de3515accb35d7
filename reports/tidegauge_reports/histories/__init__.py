"""The picture of a history: what happened, what was expected and what came out, step by step."""
