"""Utility changed before advantages: length, overlong, reference-relative."""
