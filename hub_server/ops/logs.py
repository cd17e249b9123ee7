"""The hub's log on stderr: a line a request, a job and a publish, as text or as JSON.

A line holds no query string, no body, no address and no credential.
"""

import json
import logging
import sys
from datetime import UTC, datetime

from hub_server.settings import LogSettings

_TEXT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
_LIBRARIES = ("uvicorn", "alembic", "mcp")


class JsonLines(logging.Formatter):
    """One JSON object a line: ``at`` (UTC), ``level``, ``logger``, ``message``, the record's own fields, ``error``."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line."""
        fields = getattr(record, "fields", {})
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **fields,
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def log_to_stderr(settings: LogSettings) -> None:
    """Send this process's log to stderr, as the settings say."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if settings.format == "json" else logging.Formatter(_TEXT))
    logging.basicConfig(level=settings.level.upper(), handlers=[handler])
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("hub_server.requests").disabled = not settings.requests
