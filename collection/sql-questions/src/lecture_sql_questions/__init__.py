"""Questions about a database: a session to try queries in, and a verdict on databases that were not shown."""

from lecture_sql_questions.judge import verify
from lecture_sql_questions.session import Session
from lecture_sql_questions.tasks import make_task

__all__ = ["Session", "make_task", "verify"]
