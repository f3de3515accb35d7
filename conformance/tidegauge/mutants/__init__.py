"""Wrong engines, each with one defect: what the kit must catch to be worth anything."""

from .mutant import Mutant, MutantAdapter, load_mutants

__all__ = ["Mutant", "MutantAdapter", "load_mutants"]
