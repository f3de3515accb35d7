"""A processor is called as Spark calls it, in the micro-batches of a trace."""
