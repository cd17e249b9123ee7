"""Names each phase of long work on stderr, also when there is no progress bar.

Slow work logs to ``verihub.phases``. The command line shows it, and a program that uses the client may.
"""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from hub_client.terminal.plain_text import printable

LOGGER = "verihub.phases"


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        # Looked up each time, because a progress bar may have replaced it.
        sys.stderr.write(f"{printable(record.getMessage())} …\n")
        sys.stderr.flush()


@contextmanager
def phases_on_stderr() -> Iterator[None]:
    """Inside this context, each phase is printed as one line on stderr."""
    logger, handler = logging.getLogger(LOGGER), _Lines()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
