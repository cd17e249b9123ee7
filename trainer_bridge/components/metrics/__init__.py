"""Diagnostics: laws, covariances, distances between rewards."""
