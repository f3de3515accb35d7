"""Adapter for timely dataflow: a Rust program drives the released crate, one step at a time."""
