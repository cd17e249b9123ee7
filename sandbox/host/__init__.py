"""The host's side of every call: queues, boxes, retries, and the reading of answers."""
