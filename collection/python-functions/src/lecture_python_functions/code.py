"""From a response to a program: find the code, complete it with what the task gave."""

import ast
import re
import textwrap

_FENCE = re.compile(
    r"^(?P<indent>[ \t>]*)(?P<fence>`{3,9}|~{3,9})[ \t]*(?P<info>[^\n`]*)\n"
    r"(?P<code>.*?)(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_ONE_LINE = re.compile(r"```(?:python3?|py)?[ \t]+([^\n`]*\b(?:def|class|lambda)\b[^\n`]*)```", re.IGNORECASE)
_FUTURE = re.compile(r"^from __future__ import [^\n]*$", re.MULTILINE)
_DEFINITIONS = ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef
_START = re.compile(r"^(?:from|import|def|class|async def|@)\b", re.MULTILINE)
_OTHER_LANGUAGES = set("text output console bash sh shell json js javascript java c cpp c++".split())


def find_program(response: str, prompt: str, entry: str) -> str | None:
    """A program that defines ``entry``, or None.

    Fenced blocks count together; where that does not define it, the last block that mentions ``entry`` is the one
    that the response commits to. Without a fence, the response itself or its code without the prose around it. A bare
    body completes the prompt. What stands before ``</think>`` is not read.
    """
    response = _plain(response.rsplit("</think>", 1)[-1])
    blocks = _blocks(response)
    if blocks:
        naming = [block for block in blocks if re.search(rf"\b{re.escape(entry)}\b", block)]
        candidates = ["\n".join(blocks), *(naming[-1:] or reversed(blocks))]
        if naming and not _parses(naming[-1]):
            candidates = naming[-1:]  # an earlier block is not what the response ends with
    else:
        candidates = [response, *_bare_code(response)]
    for candidate in candidates:
        if _defines(candidate, entry):
            return _joined(preamble(prompt, entry), candidate)
    for candidate in candidates:
        for body in (candidate, textwrap.indent(textwrap.dedent(candidate), "    ")):
            completed = prompt + "\n" + body
            if candidate.strip() and _has_body(completed, entry):
                return completed
    return None


def preamble(prompt: str, entry: str) -> str:
    """What the task's prompt holds before the function: imports and helpers."""
    return prompt[: prompt.rindex(f"def {entry}")]


def _plain(text: str) -> str:
    """With plain line ends and spaces, and without a byte order mark."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "").replace("\u00a0", " ")


def _blocks(response: str) -> list[str]:
    found = []
    for match in _FENCE.finditer(response):
        words = match["info"].strip().lower().split()
        if words and words[0] in _OTHER_LANGUAGES:
            continue
        lines = match["code"].split("\n")
        if ">" in match["indent"]:
            lines = [re.sub(r"^[ \t]*(?:>[ \t]?)+", "", line) for line in lines]
        code = textwrap.dedent("\n".join(lines)) if match["indent"].strip(">") else "\n".join(lines)
        if code.strip() and not code.lstrip().startswith(">>>"):  # a record of an example is no program
            found.append(code)
    return found or [block for block in _ONE_LINE.findall(response) if block.strip()]


def _bare_code(response: str) -> list[str]:
    """The longest stretch of code, from the first line that starts like code: prose around it is left out."""
    lines = response.split("\n")[:2000]
    starts = [number for number, line in enumerate(lines) if _START.match(line)][:20]
    for start in starts:
        ends = [number for number in range(len(lines), start, -1) if number == len(lines) or _is_outside(lines[number])]
        for end in ends[:40]:
            code = "\n".join(lines[start:end])
            if _parses(code):
                return [code]
    return []


def _is_outside(line: str) -> bool:
    """Whether a line begins at the margin, where code may end and prose begin."""
    return bool(line) and not line[0].isspace()


def _joined(before: str, code: str) -> str:
    """``code`` behind the task's imports; ``from __future__`` must stay first in a file."""
    code = _without_demonstration(code)
    future = "\n".join(_FUTURE.findall(code))
    return f"{future}\n{before}\n{_FUTURE.sub('', code)}" if future else f"{before}\n{code}"


def _without_demonstration(code: str) -> str:
    """Without what runs after the last definition: example calls, assertions, ``unittest.main()``."""
    tree = _tree(code)
    last = (
        max((i for i, node in enumerate(tree.body) if isinstance(node, _DEFINITIONS)), default=None) if tree else None
    )
    if tree is None or last is None:
        return code
    lines = code.split("\n")
    for node in tree.body[last + 1 :]:
        if isinstance(node, ast.Expr | ast.Assert | ast.If | ast.For | ast.While | ast.With):
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = ""
    return "\n".join(lines)


def _parses(program: str) -> bool:
    return _tree(program) is not None


def _tree(program: str) -> ast.Module | None:
    try:
        tree = ast.parse(program)
        compile(tree, "response", "exec")  # it finds what the parser lets pass, such as a return outside of a function
        return tree
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _has_body(program: str, entry: str) -> bool:
    """Whether ``entry`` does something besides its docstring."""
    tree = _tree(program)
    made = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry] if tree else []
    return any(not isinstance(each, ast.Expr) for node in made for each in node.body)


def _defines(program: str, entry: str) -> bool:
    tree = _tree(program)
    if tree is None:
        return False
    named = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            named |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return entry in named
