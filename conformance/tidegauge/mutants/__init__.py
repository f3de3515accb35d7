"""What a mutant is, and how it is loaded: a copy of the reference with one defect. The mutants themselves
stand with their components."""
