"""Talking to a hub: HTTP, credentials, and one request function for each thing a hub can be asked."""
