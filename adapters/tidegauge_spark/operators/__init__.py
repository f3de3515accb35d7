"""Stateful processors for `transformWithState`: rows are steps, and what is decided is kept in state."""
