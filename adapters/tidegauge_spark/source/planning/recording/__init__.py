"""The event log of a source: its rows for each batch, from the offsets before and after it."""
