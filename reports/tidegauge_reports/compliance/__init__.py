"""The compliance report: one HTML file that says what a run found."""
