"""Gets the verified bytes of a reference: resolve, download, cache, dependencies."""
