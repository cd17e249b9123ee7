"""Injects random faults into boxes, engine, disks and clients while calls are judged.

No verdict may be wrong, and nothing may be left behind.
"""
