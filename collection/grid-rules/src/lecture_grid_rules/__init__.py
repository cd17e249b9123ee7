"""Grid games with hidden rules: a session with one tool, and a verdict that plays the presses again."""

from lecture_grid_rules.session import Session, verify
from lecture_grid_rules.tasks import make_task

__all__ = ["Session", "make_task", "verify"]
