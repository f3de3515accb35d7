"""What several components share: random choices, shrinking of numbers, properties."""
