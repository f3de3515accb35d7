"""The search of the site and of `tidegauge explain`: entries, their terms, the index and the ranking."""
