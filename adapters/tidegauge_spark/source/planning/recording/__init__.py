"""The event log of a source: what it did in each batch, from the offsets before and after it."""
