"""Responses that are Python programs: finds the code and its functions, and replaces the functions' bodies."""

import ast
import re
from dataclasses import dataclass

_FENCE = re.compile(r"```(?:python|py)?\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Program:
    """A program in a response: ``response == before + code + after``. ``functions`` are its top-level names."""

    before: str
    code: str
    after: str
    functions: tuple[str, ...]

    def with_code(self, code: str) -> str:
        """The response with another program in the same wrapping."""
        return f"{self.before}{code}{self.after}"

    def same_names(self, body: str, preamble: str = "") -> str:
        """A response that defines every function of the original with ``body`` (one statement a line)."""
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        definitions = [f"def {name}(*arguments, **keywords):\n{lines}\n" for name in self.functions]
        return self.with_code("\n".join([preamble, *definitions]) if preamble else "\n".join(definitions))


def read(response: str) -> Program | None:
    """The last fenced program, or the whole response when it is one; None unless some function returns a value."""
    fences = list(_FENCE.finditer(response))
    start, end = fences[-1].span(1) if fences else (0, len(response))
    code = response[start:end]
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not any(_returns_something(function) for function in functions):
        return None
    names = tuple(dict.fromkeys(function.name for function in functions))
    return Program(before=response[:start], code=code, after=response[end:], functions=names)


def _returns_something(function: ast.FunctionDef) -> bool:
    """Whether the function's result is a value: only then is returning something else certainly wrong."""
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    return any(
        node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None)
        for node in returns
    )
