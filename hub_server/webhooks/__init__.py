"""Webhooks: the hub sends events to addresses that owners of packages name."""
