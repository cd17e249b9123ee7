"""A benchmark is data: see verihub.toml."""
