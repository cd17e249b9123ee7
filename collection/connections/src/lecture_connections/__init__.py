"""Sixteen words, four hidden groups: a session with one tool, and a verdict that plays the guesses again."""

from lecture_connections.judge import verify
from lecture_connections.session import Session
from lecture_connections.tasks import make_task

__all__ = ["Session", "make_task", "verify"]
