"""Where boxes come from."""
