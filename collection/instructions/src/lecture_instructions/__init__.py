"""Short texts out of given patterns under four constraints: a reward for each, and gates that nothing else passes."""

from lecture_instructions.judge import verify
from lecture_instructions.tasks import make_task

__all__ = ["make_task", "verify"]
