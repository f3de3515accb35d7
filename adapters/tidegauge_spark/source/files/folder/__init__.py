"""The folder of a source: its splits and files, in a sub-folder for each split or as Spark writes it."""
