"""Generated cases whose label is certain, one file for each family."""
