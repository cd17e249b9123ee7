"""Test time: one answer from many."""
