"""Harm at random to boxes, engine, disks and clients while calls are judged: no verdict may be wrong, nothing stays."""
