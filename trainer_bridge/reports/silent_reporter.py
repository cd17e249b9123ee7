"""What the processes of a run have in place of a reporter, all but the first: the first reports for them."""

from typing import Any

from hub_client.run_reporter import RunReporter


class SilentReporter(RunReporter):
    """Writes nothing and sends nothing."""

    def __init__(self) -> None:
        self.run_id = ""

    def create(self, *said: Any) -> None: ...
    def log(self, *said: Any) -> None: ...
    def note(self, *said: Any) -> None: ...
    def rollouts(self, *said: Any) -> None: ...
    def finish(self, *said: Any, **more: Any) -> None: ...
