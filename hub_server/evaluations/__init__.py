"""Benchmarks: results, hardness, separability, diversity."""
