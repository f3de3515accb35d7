"""What outgrows one machine: event logs of production jobs are checked in this process, or on Spark."""
