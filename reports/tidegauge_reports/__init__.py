"""Reports: views of `results.json`, the only record of a run. A report reads nothing else."""
