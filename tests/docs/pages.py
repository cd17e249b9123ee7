"""Reads the commands, files and promised output of a tutorial, as a reader would."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# (\S+\.(?:py|toml))\n")


@dataclass(frozen=True)
class File:
    """A block whose first line is a comment with a path: the reader puts it there."""

    path: str
    text: str


@dataclass(frozen=True)
class Command:
    """A line after ``$``, and the lines that the page shows below it."""

    line: str
    shown: tuple[str, ...]


@dataclass(frozen=True)
class Script:
    """A block of Python that is no file: the reader runs it."""

    text: str


Step = File | Command | Script


def steps_of(text: str) -> list[Step]:
    """What a reader does, in order. Blocks of other languages than console, python and toml are only read."""
    steps: list[Step] = []
    for language, block in _BLOCK.findall(text):
        if language == "console":
            steps += _commands(block)
        elif language in ("python", "toml"):
            named = _FILE.match(block)
            assert named or language == "python", f"a block of {language} that says no file: {block[:80]}"
            steps.append(File(named[1], block) if named else Script(block))
    return steps


def _commands(block: str) -> list[Command]:
    found: list[Command] = []
    lines = iter(block.splitlines())
    for line in lines:
        if not line.startswith("$ "):
            assert found, f"output before a command: {line}"
            found[-1] = Command(found[-1].line, (*found[-1].shown, line))
            continue
        command = line.removeprefix("$ ")
        here = re.search(r"<<'(\w+)'", command)
        while here:
            command += "\n" + next(lines)
            if command.endswith("\n" + here[1]):
                break
        found.append(Command(command, ()))
    return found


def missing_from(said: str, shown: tuple[str, ...]) -> str | None:
    """The first promised line that ``said`` does not have, in order; an ellipsis stands for anything within a line."""
    lines = [" ".join(line.split()) for line in said.splitlines()]
    at = 0
    for promise in shown:
        parts = [re.escape(" ".join(part.split())) for part in promise.split("…")]
        pattern = re.compile(r"\s*" + ".*".join(parts).replace(r"\ ", r"\s+"))
        while at < len(lines) and not pattern.match(lines[at]):
            at += 1
        if at == len(lines):
            return promise
        at += 1
    return None
