"""Discussions: what people say to each other about a package, or about one of its counter-examples."""
