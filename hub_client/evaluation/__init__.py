"""Evaluates a model on every task of a benchmark with every harness."""
