"""Stateful operators of `tidegauge_spark`: the scenarios of a component as rows, and rows as outputs."""
