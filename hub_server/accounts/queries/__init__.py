"""Every SQL statement about accounts, what lets them in, and organisations."""
