"""A Dockerfile as a list of instructions. It is read, and never built."""

import re
from dataclasses import dataclass

from hub_client.imports.draft import ImportRefusedError

_HEREDOC = re.compile(r"<<-?\s*[\"']?\w+")
_KNOWN = frozenset(
    {"FROM", "RUN", "COPY", "ADD", "WORKDIR", "ENV", "ARG", "LABEL", "USER", "EXPOSE", "CMD", "ENTRYPOINT", "SHELL"}
    | {"VOLUME", "STOPSIGNAL", "HEALTHCHECK", "ONBUILD", "MAINTAINER"}
)


@dataclass(frozen=True)
class Instruction:
    """``COPY a b`` is ``Instruction("COPY", "a b")``."""

    name: str
    rest: str


def read_dockerfile(text: str) -> list[Instruction]:
    """The instructions of ``text`` in their order.

    Raises :class:`ImportRefusedError` for a line that is no instruction, and for here-documents (``<<EOF``).
    """
    found: list[Instruction] = []
    for line in _whole_lines(text):
        name, _, rest = line.partition(" ")
        if name.upper() not in _KNOWN:
            raise ImportRefusedError(f"its Dockerfile has a line that is no instruction: {line[:60]!r}")
        if _HEREDOC.search(rest):
            raise ImportRefusedError(f"its Dockerfile has a text inside of {name.upper()} (<<)")
        found.append(Instruction(name.upper(), rest.strip()))
    return found


def _whole_lines(text: str) -> list[str]:
    """Lines without comments, with those joined that end in a backslash."""
    whole: list[str] = []
    begun = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        bare = line.strip()
        if bare.startswith("#") or (not bare and not begun):
            continue
        if bare.endswith("\\"):
            begun += bare[:-1] + " "
        else:
            whole.append((begun + bare).strip().replace("\t", " "))
            begun = ""
    return [*whole, begun.strip()] if begun.strip() else [line for line in whole if line]
