"""A text that a regular expression matches, by reading it: the first of alternatives, the fewest repetitions.

Nothing is matched, since a stranger's pattern may take hours on a text.
"""

import re
from dataclasses import dataclass

_LONGEST = 300
_MOST_REPEATED = 20
_ESCAPES = {"d": "7", "w": "a", "s": " ", "D": "x", "W": " ", "S": "x", "n": "\n", "t": "\t", "r": "\r"}
_NOTHING = frozenset("bBAZzG")
_COUNT = re.compile(r"\{(\d+)(?:,\d*)?\}")
_GROUP = re.compile(r"\?(?:P<\w+>|[aiLmsux-]*:|>)")
_OPTIONS = re.compile(r"\?[aiLmsux-]+\)|\?#[^)]*\)")


def example_of(pattern: str) -> str | None:
    """None for what is no pattern, or one that this does not read."""
    if len(pattern) > _LONGEST:
        return None
    reader = _Reader(pattern)
    try:
        found = reader.alternatives()
    except (IndexError, RecursionError, _UnreadableError):
        return None
    return found if reader.place == len(pattern) else None


class _UnreadableError(ValueError):
    pass


@dataclass
class _Reader:
    pattern: str
    place: int = 0

    @property
    def next(self) -> str:
        return self.pattern[self.place : self.place + 1]

    def take(self) -> str:
        sign = self.pattern[self.place]
        self.place += 1
        return sign

    def skip(self, rule: re.Pattern[str]) -> re.Match[str] | None:
        found = rule.match(self.pattern, self.place)
        if found:
            self.place = found.end()
        return found

    def alternatives(self) -> str:
        first = self.sequence()
        while self.next == "|":
            self.take()
            self.sequence()
        return first

    def sequence(self) -> str:
        parts = []
        while self.next and self.next not in "|)":
            one = self.atom()
            parts.append(one * self.repetitions())
        return "".join(parts)

    def repetitions(self) -> int:
        counted = self.skip(_COUNT)
        if counted:
            times = min(int(counted[1][:3]), _MOST_REPEATED)
        elif self.next and self.next in "*?+":
            times = int(self.take() == "+")
        else:
            return 1
        if self.next and self.next in "?+":
            self.take()
        return times

    def atom(self) -> str:
        sign = self.take()
        if sign == "(":
            return self.group()
        if sign == "[":
            return self.one_of()
        if sign == "\\":
            return self.escaped()
        if sign in "*+?":
            raise _UnreadableError
        return {"^": "", "$": "", ".": "x"}.get(sign, sign)

    def escaped(self) -> str:
        sign = self.take()
        return "" if sign in _NOTHING or sign.isdigit() else _ESCAPES.get(sign, sign)

    def group(self) -> str:
        if self.skip(_OPTIONS):
            return ""
        looks_around = self.pattern.startswith(("?=", "?!", "?<=", "?<!"), self.place)
        if looks_around:
            self.place += 3 if self.pattern.startswith("?<", self.place) else 2
        elif self.next == "?" and not self.skip(_GROUP):
            raise _UnreadableError
        found = self.alternatives()
        if self.take() != ")":
            raise _UnreadableError
        return "" if looks_around else found

    def one_of(self) -> str:
        is_other = self.next == "^"
        if is_other:
            self.take()
        members = [self.escaped() if (sign := self.take()) == "\\" else sign]
        while self.next != "]":
            members.append(self.escaped() if (sign := self.take()) == "\\" else sign)
        self.take()
        if not is_other:
            return members[0]
        return next((sign for sign in "x 7-" if sign not in members), "")
