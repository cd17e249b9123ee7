"""The seven kinds of package."""

from enum import StrEnum


class PackageKind(StrEnum):
    """What a package is for; see ``docs/reference/glossary.md``."""

    ENVIRONMENT = "environment"
    TOOL = "tool"
    VERIFIER = "verifier"
    HARNESS = "harness"
    BENCHMARK = "benchmark"
    RECIPE = "recipe"
    SUITE = "suite"

    @property
    def with_article(self) -> str:
        """For a sentence: ``an environment``, ``a tool``."""
        return f"{'an' if self is PackageKind.ENVIRONMENT else 'a'} {self.value}"
