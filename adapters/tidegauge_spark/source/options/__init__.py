"""The options of the data source, and one clear line for each invalid use."""
