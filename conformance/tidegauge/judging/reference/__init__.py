"""What an engine is compared with: the reference, with the known deviations of the engine built in."""
