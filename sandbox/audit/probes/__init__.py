"""Generated cases whose verdict is known beforehand; one family a file."""
