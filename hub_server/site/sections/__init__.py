"""What several pages share: addresses, the head of a package, rows of rates, lists of tasks, signing in."""
