"""Answers of models on disk, by the digest of the request: bounded, shared by every process of the user."""

import json
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from threading import Lock

from sandbox.models.port import ModelAnswer

_TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, body TEXT NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL
)
"""
_KEPT_SHARE = 0.9
"""Of the limit: what is left after old answers were dropped, so that this is not done for every new one."""
_WAIT_SECONDS = 30.0  # chosen, not measured


class AnswerStore:
    """A SQLite file; what was used least recently goes first.

    Raises OSError or sqlite3.Error where it cannot be opened.
    """

    def __init__(self, folder: Path, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._lock = Lock()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._database = sqlite3.connect(
            folder / "answers.sqlite3", timeout=_WAIT_SECONDS, check_same_thread=False, isolation_level=None
        )
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute(_TABLE)

    def find(self, key: str) -> ModelAnswer | None:
        """The answer to the request with this digest, or None. What cannot be read counts as not there."""
        try:
            with self._lock:
                row = self._database.execute("SELECT body FROM answers WHERE key = ?", (key,)).fetchone()
                if row is None:
                    return None
                self._database.execute("UPDATE answers SET used = ? WHERE key = ?", (self._turn(), key))
            return ModelAnswer(**json.loads(row[0]))
        except (sqlite3.Error, ValueError, TypeError):
            return None

    def keep(self, key: str, answer: ModelAnswer) -> None:
        """Store an answer; the first one to a request stays. Where the file cannot be written, nothing is kept."""
        body = json.dumps(vars(answer))
        with self._lock, suppress(sqlite3.Error):
            self._database.execute(
                "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?)", (key, body, len(body), self._turn())
            )
            self._drop_old()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._database.close()

    def _turn(self) -> int:
        (last,) = self._database.execute("SELECT coalesce(max(used), 0) FROM answers").fetchone()
        return int(last) + 1

    def _drop_old(self) -> None:
        (size,) = self._database.execute("SELECT coalesce(sum(size), 0) FROM answers").fetchone()
        if size <= self._limit:
            return
        surplus = size - int(self._limit * _KEPT_SHARE)
        with closing(self._database.execute("SELECT key, size FROM answers ORDER BY used")) as oldest:
            keys = []
            for key, one in oldest:
                if surplus <= 0:
                    break
                keys.append((key,))
                surplus -= one
        self._database.executemany("DELETE FROM answers WHERE key = ?", keys)
