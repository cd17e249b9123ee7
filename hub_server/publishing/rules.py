"""Limits of an upload in parts."""

from datetime import timedelta

PART_BYTES = 8 * 2**20
"""How much a part holds at most, in bytes: so much is sent again where a line breaks."""
LEAST_SHARE = 128
"""A part counts as this share of ``PART_BYTES`` at least (64 KiB): however small, it takes a file and a row."""
MOST_PARTS = 4096  # chosen: each is a file and a row
PARTS_KEPT = timedelta(hours=24)
"""How long the parts of an upload wait for the rest, from the last one that came."""
UNFINISHED_SHARE = 2
"""The unfinished uploads of an account hold at most so many times the largest wheel."""
