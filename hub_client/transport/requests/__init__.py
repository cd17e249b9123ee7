"""Requests as values, one file a resource; both clients send them."""
