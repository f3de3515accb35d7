"""`tidegauge trend`: the runs of an engine by date, as a table, a picture and JSON."""
