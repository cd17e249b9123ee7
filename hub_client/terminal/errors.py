"""Prints a failed command's error. Kept apart from other output, which imports a slow rendering library."""

import sys

from hub_client.errors import HubClientError
from hub_client.settings import OutputFormat
from hub_client.terminal.plain_text import printable, printable_json


def print_error(error: HubClientError, output_format: OutputFormat) -> None:
    """Print one line with what to do on stderr, or a JSON object when JSON was asked for."""
    if output_format is OutputFormat.JSON:
        problem = error.problem.model_dump(mode="json") if error.problem else None
        body = {"error": type(error).__name__, "message": str(error), "exit_code": error.exit_code, "problem": problem}
        sys.stderr.write(printable_json(body) + "\n")
    else:
        sys.stderr.write(f"verihub: {printable(str(error))}\n")
