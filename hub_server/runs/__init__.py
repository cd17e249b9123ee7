"""Training and evaluation runs: pinned packages, metrics, rollouts."""
