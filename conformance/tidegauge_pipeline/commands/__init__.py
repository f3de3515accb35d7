"""The commands of the data pipeline."""
