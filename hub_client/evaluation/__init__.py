"""Measuring a model on every task of a benchmark, under every harness."""
