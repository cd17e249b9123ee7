"""A service desk: a session with tools and a scripted customer, and a verdict that plays it again."""

from lecture_service_desk.judge import verify
from lecture_service_desk.session import Session
from lecture_service_desk.tasks import make_task

__all__ = ["Session", "make_task", "verify"]
