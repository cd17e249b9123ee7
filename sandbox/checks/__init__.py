"""How the sandbox is held to its word: conformance, attacks, benchmarks, and whether this host is fit."""
