"""What the scenarios of a test item show: run, compared, counted, and made small where they fail."""
