"""Pages of discussions: a package's list, one discussion, and the forms in which people write."""
