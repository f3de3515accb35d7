"""The commands of `tidegauge` that make views of results."""
