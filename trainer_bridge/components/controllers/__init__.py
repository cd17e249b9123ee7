"""Coefficients that adapt from step to step."""
