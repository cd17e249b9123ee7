"""Training and evaluation runs: what was pinned, metrics, rollouts."""
