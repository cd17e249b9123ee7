"""Checks of the sandbox: conformance, attacks, benchmarks, and whether this host is fit."""
