"""Measurements whose tables stand in docs/benchmarks.md."""
