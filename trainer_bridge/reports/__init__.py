"""What a run tells people and the hub: metrics, evaluations, progress."""
