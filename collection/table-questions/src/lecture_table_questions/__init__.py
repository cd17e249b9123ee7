"""Questions about tables: a session with tools that records the calls, and a verdict on value and unit."""

from lecture_table_questions.judge import verify
from lecture_table_questions.session import Session
from lecture_table_questions.tasks import make_task

__all__ = ["Session", "make_task", "verify"]
