"""What the sandbox costs, beside floors of the same run: ``scripts/bench``, ``scripts/soak``."""
