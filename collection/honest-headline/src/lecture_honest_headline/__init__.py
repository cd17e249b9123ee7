"""Headlines of reports: a verdict that compares them with the report, beside a click model that does not."""

from lecture_honest_headline.judge import verify
from lecture_honest_headline.tasks import make_task

__all__ = ["make_task", "verify"]
