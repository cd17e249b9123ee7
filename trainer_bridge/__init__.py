"""Trains a policy on the hub's environments. Only this package imports torch."""
