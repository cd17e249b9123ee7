"""What all ``scripts/bench`` commands share: ``--format``, figures as a table or JSON, status 8 without an engine."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence

from sandbox.errors import SandboxError


def bench_parser(name: str, description: str | None, *, backends: bool = False) -> argparse.ArgumentParser:
    """A parser for ``scripts/bench NAME`` that knows ``--format`` and, with ``backends``, ``--backend``."""
    parser = argparse.ArgumentParser(prog=f"scripts/bench {name}", description=description)
    parser.add_argument("--format", default="human", choices=("human", "json"))
    if backends:
        parser.add_argument("--backend", default="docker", choices=("docker", "local"))
    return parser


def run_bench(
    parser: argparse.ArgumentParser,
    measure: Callable[[argparse.Namespace], Mapping[str, float]],
    arguments: Sequence[str] | None,
    *,
    digits: int = 3,
) -> None:
    """Measure and print: a table with ``digits`` decimals, or with ``--format json`` one flat object.

    Raises:
        SystemExit: status 8 when the sandbox cannot run, with its reason on standard error; 2 for mistaken options.

    """
    options = parser.parse_args(arguments)
    try:
        figures = measure(options)
    except SandboxError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(8)
    if options.format == "json":
        sys.stdout.write(json.dumps(figures) + "\n")
        return
    width = max((len(name) for name in figures), default=0)
    for name, value in figures.items():
        sys.stdout.write(f"{name:{width}} {value:>14,.{digits}f}\n")
