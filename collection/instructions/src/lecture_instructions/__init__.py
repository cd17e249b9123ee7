"""Short texts from given facts under four constraints: a reward for each, and gates against gibberish."""

from lecture_instructions.judge import verify
from lecture_instructions.tasks import make_task

__all__ = ["make_task", "verify"]
