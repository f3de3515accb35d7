"""Sources over number sequences, which need no data: planning in the driver, rows in the executors."""
