"""Sources over folders of files: formats, discovery, planning in the driver, rows in the executors."""
