"""From a response to a program: find the code, complete it with what the task gave."""

import ast
import re

_FENCE = re.compile(r"```[ \t]*(?:python|py|python3)?[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)


def find_program(response: str, prompt: str, entry: str) -> str | None:
    """A program that defines ``entry``, or None. Fenced blocks count together; a bare body completes the prompt."""
    blocks = [block for block in _FENCE.findall(response) if block.strip()]
    candidates = ["\n".join(blocks), *reversed(blocks)] if blocks else [response]
    for candidate in candidates:
        if _defines(candidate, entry):
            return preamble(prompt, entry) + "\n" + candidate
    for candidate in candidates:
        completed = prompt + "\n" + candidate
        if _defines(completed, entry) and candidate.strip():
            return completed
    return None


def preamble(prompt: str, entry: str) -> str:
    """What the task's prompt holds before the function: imports and helpers."""
    return prompt[: prompt.rindex(f"def {entry}")]


def _defines(program: str, entry: str) -> bool:
    try:
        tree = ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    named = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            named |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return entry in named
