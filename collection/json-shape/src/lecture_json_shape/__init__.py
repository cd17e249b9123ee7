"""JSON that fits a schema and says what a text says."""

from lecture_json_shape.judge import verify
from lecture_json_shape.tasks import make_task

__all__ = ["make_task", "verify"]
