"""Try it: a response judged, or an episode played."""
