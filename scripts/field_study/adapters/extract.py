"""What several adapters need: the answer in the last box of a response. Standard library only."""

import re

_BOX = re.compile(r"\\boxed\s*\{")


def last_boxed(text: str) -> str | None:
    r"""What the last ``\boxed{…}`` holds, braces balanced; None where there is none that closes."""
    for start in reversed([found.end() for found in _BOX.finditer(text)]):
        depth = 1
        for place in range(start, len(text)):
            depth += {"{": 1, "}": -1}.get(text[place], 0)
            if depth == 0:
                return text[start:place].strip()
    return None


def without_dollars(text: str) -> str:
    """A reference answer without the dollar signs around it."""
    bare = text.strip()
    while len(bare) > 1 and bare[0] == bare[-1] == "$":
        bare = bare[1:-1].strip()
    return bare


def in_dollars(text: str) -> str:
    """A reference answer as a formula, as parsers of LaTeX want it."""
    return text if "$" in text or "\\boxed" in text else f"${text}$"
