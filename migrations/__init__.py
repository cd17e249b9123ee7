"""The migrations of the hub's database. Each works with the release of the code before it and with the one after it."""
