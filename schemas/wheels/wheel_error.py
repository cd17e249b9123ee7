"""WheelError and the list of problems it is built from."""

from schemas.problem import ProblemPart

MAX_LISTED = 50  # chosen: a hostile archive has thousands of faults


class WheelError(ValueError):
    """A wheel that cannot be a release. ``problems`` says, one a line, what is wrong, where, and what to do."""

    def __init__(self, problems: list[ProblemPart]) -> None:
        self.problems = problems
        lines = [f"{part.pointer}: {part.message}" if part.pointer else part.message for part in problems]
        super().__init__("\n".join(lines))


class ProblemList:
    """Collects problems so that an author sees all of them at once; keeps at most ``MAX_LISTED``."""

    def __init__(self) -> None:
        self._parts: list[ProblemPart] = []
        self._dropped = 0

    def add(self, pointer: str, message: str) -> None:
        """Note one problem. ``pointer`` is a path in the wheel, with ``:LINE`` where there is one."""
        if len(self._parts) < MAX_LISTED:
            self._parts.append(ProblemPart(pointer=printable(pointer), message=message))
        else:
            self._dropped += 1

    def __bool__(self) -> bool:
        return bool(self._parts)

    @property
    def parts(self) -> list[ProblemPart]:
        """What was noted. The last entry counts those that were left out."""
        if not self._dropped:
            return list(self._parts)
        return [*self._parts, ProblemPart(message=f"… and {self._dropped} more problems like these")]

    def raise_if_any(self) -> None:
        """Raise :class:`WheelError` with everything noted so far."""
        if self._parts:
            raise WheelError(self.parts)


def printable(text: str) -> str:
    """``text`` with control and other unprintable characters escaped: names from an archive reach terminals."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)[:300]
