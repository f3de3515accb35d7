"""The playground: the reference in the reader's browser."""
