"""The commands of `tidegauge`, one module each."""
