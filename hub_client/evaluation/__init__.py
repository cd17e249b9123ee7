"""Measuring a model: every task of a benchmark under every harness."""
