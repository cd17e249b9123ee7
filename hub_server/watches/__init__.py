"""Watches: mail to people about packages and owners that they want to hear of."""
