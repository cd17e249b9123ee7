"""Every SQL statement about audits, counter-examples, labels and comparisons."""
