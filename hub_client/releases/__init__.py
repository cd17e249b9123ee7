"""From a reference to verified bytes on this machine: resolve, download, cache, dependencies."""
