"""The host's side of every call: the queue, the boxes, the retries, and what an answer means."""
