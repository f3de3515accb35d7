"""Tests timely dataflow: a program in Rust drives the released crate, one step at a time."""
