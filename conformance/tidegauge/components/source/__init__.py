"""A source subtask (chapter SOURCE)."""
