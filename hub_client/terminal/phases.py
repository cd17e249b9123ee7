"""A word for every phase of long work, on stderr, also where nobody watches a progress bar.

Whatever does slow work logs to ``verihub.phases``; the command line shows it, a program that uses the client may.
"""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from hub_client.terminal.plain_text import printable

LOGGER = "verihub.phases"


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        sys.stderr.write(f"{printable(record.getMessage())} …\n")  # looked up anew: a progress bar may have replaced it
        sys.stderr.flush()


@contextmanager
def phases_on_stderr() -> Iterator[None]:
    """Within, each phase is one line on stderr."""
    logger, handler = logging.getLogger(LOGGER), _Lines()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
