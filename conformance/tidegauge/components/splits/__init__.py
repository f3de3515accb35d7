"""The watermarks of several splits, and of an operator's inputs (chapter SPLIT)."""
