"""Looks into wheels in this process: as the real one, without its child."""

from pathlib import Path

from hub_server.adapters.child_wheel_inspector import read_answer
from hub_server.adapters.inspecting_child import facts_of
from hub_server.errors import InvalidPackageError
from hub_server.ports.wheel_inspector import Inspection
from schemas.wheels.wheel import WheelError, read_wheel


class FakeWheelInspector:
    def inspect(self, path: Path, digest: str) -> Inspection:
        try:
            return read_answer(facts_of(read_wheel(path.read_bytes())), digest)
        except WheelError as error:
            raise InvalidPackageError(str(error), errors=error.problems) from None
