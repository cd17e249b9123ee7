"""One benchmark: its results, worked out and drawn."""
