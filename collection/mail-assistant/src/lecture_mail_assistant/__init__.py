"""Questions about a mailbox: a session with three tools, and a verdict that looks everything up itself."""

from lecture_mail_assistant.judge import verify
from lecture_mail_assistant.session import Session
from lecture_mail_assistant.tasks import make_task

__all__ = ["Session", "make_task", "verify"]
