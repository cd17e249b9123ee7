"""How many webhooks an owner may have, how many messages may wait, and how long deliveries are kept."""

from datetime import timedelta

MOST_OF_OWNER = 20  # chosen, not measured
MOST_WAITING = 1000
"""A webhook is switched off when so many of its messages wait. Its receiver can read ``GET /events`` instead."""
KEPT = timedelta(days=30)
"""How long the log keeps a delivery."""
