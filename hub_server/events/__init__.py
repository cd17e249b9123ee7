"""Events: what happened on the hub, for others to follow."""
