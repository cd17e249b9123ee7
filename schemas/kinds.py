"""The six kinds of package."""

from enum import StrEnum


class PackageKind(StrEnum):
    """What a package is for; see ``docs/glossary.md``."""

    ENVIRONMENT = "environment"
    TOOL = "tool"
    VERIFIER = "verifier"
    HARNESS = "harness"
    BENCHMARK = "benchmark"
    RECIPE = "recipe"
