"""Which rows stay in the batch."""
