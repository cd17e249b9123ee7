"""An office assistant under attack: a session that records the calls, and a verdict that compares effects."""

from lecture_tools_under_attack.judge import verify
from lecture_tools_under_attack.session import Session
from lecture_tools_under_attack.tasks import make_task

__all__ = ["Session", "make_task", "verify"]
