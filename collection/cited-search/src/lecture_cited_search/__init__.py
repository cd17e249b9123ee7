"""Questions about an encyclopedia: a session with tools that records the calls, and a verdict that looks them up."""

from lecture_cited_search.judge import verify
from lecture_cited_search.session import Session
from lecture_cited_search.tasks import make_task

__all__ = ["Session", "make_task", "verify"]
