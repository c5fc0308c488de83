"""Lines of JSON on standard error: requests, warnings, errors; no keys, tokens, units or bodies."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import TextIO

LOGGERS = ("factored_bandits.service", "uvicorn.error")


class JsonLines(logging.Formatter):
    """A record as one line of JSON; a message that is an object is taken as it is."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
        }
        message = record.getMessage()
        if message.startswith("{"):
            return f"{json.dumps(line)[:-1]}, {message[1:]}"
        line["message"] = message
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


def log_lines(quiet: bool, stream: TextIO | None = None) -> None:
    """Write what is logged to standard error; if `quiet`, without a line for each request."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.propagate = False
        logger.setLevel(logging.WARNING if quiet or name.startswith("uvicorn") else logging.INFO)
