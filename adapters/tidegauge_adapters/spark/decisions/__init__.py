"""Components of `tidegauge_spark` that decide in the driver, as engines in this process."""
