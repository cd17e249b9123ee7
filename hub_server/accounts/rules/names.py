"""Pure decisions about the names of accounts."""

RESERVED_NAMES = frozenset(
    [
        "api",
        "search",
        "label",
        "compare",
        "owners",
        "theme",
        "www",
        "security",
        "support",
        "simple",
        "static",
        "feeds",
        "docs",
        "login",
        "logout",
        "signup",
        "settings",
        "tokens",
        "device",
        "runs",
        "audits",
        "benchmarks",
        "packages",
        "accounts",
        "account",
        "organizations",
        "organization",
        "admin",
        "operator",
        "moderation",
        "healthz",
        "readyz",
        "metrics",
        "about",
        "help",
        "verihub",
        "hub",
        "root",
        "system",
        "official",
        "anonymous",
        "probe",
        "author",
        "community",
    ]
)


def fold_name(name: str) -> str:
    """``name`` with look-alikes folded together: l, i and 1; o and 0."""
    return name.translate(str.maketrans("l10", "iio"))
