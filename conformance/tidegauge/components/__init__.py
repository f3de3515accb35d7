"""One folder a component: binding to the reference, drawing, shrinking, properties, mutants."""
