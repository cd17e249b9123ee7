"""Per-token losses of the policy gradient: log-probabilities and advantages -> loss_BT."""
