"""The first page of a package, with the ways to use it."""
