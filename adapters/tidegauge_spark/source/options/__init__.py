"""The options of the data source: what they mean, and one clear line for each way to get them wrong."""
