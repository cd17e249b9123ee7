"""What every route shares: dependencies, problems, limits, streams."""
