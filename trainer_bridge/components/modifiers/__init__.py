"""Advantages token by token: advantages_BT -> advantages_BT."""
