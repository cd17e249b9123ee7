"""Word problems with a calculator: a session that records the calls, and a verdict that calculates them again."""

from lecture_calculator.judge import verify
from lecture_calculator.session import Session
from lecture_calculator.tasks import make_task

__all__ = ["Session", "make_task", "verify"]
