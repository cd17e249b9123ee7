"""Reports of a run to people and to the hub: metrics, evaluations, progress."""
