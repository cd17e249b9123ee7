"""Trains a policy on the hub's environments; torch lives here only."""
