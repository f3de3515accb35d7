"""What the evidence of a component proves of each rule, and the model that explains it."""
