"""What a run reports to people and to the hub: metrics, evaluations, progress."""
