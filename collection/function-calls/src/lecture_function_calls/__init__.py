"""Requests to an assistant with twenty tools: a session over one to three turns, and a verdict by replay."""

from lecture_function_calls.judge import verify
from lecture_function_calls.session import Session
from lecture_function_calls.tasks import make_task

__all__ = ["Session", "make_task", "verify"]
