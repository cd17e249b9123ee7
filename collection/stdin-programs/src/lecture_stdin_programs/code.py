"""From a response to the program that it commits to."""

import ast
import re
import textwrap

_FENCE = re.compile(
    r"^(?P<indent>[ \t>]*)(?P<fence>`{3,9}|~{3,9})[ \t]*(?P<info>[^\n`]*)\n"
    r"(?P<code>.*?)(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_START = re.compile(r"^(?:from|import|def|class|async def|@|if|for|while|try|with|\w+(?:, *\*?\w+)* *=|print\()")
_MORE_CODE = re.compile(r"[ \t]*(?:[\w.]+(?:, *\*?\w+)* *[-+*/%|&]?=[^=]|print\(|def \w+\(|class \w+.*:$|import \w+$)")
_WRITES = re.compile(r"\bprint\b|\bstdout\b|\.write\b|\bmain\b|\bsolve\b")
_OTHER_LANGUAGES = set("text txt output input console bash sh shell json js javascript java c cpp c++ rust go".split())


def find_program(response: str) -> str | None:
    """The last fenced block that prints something, else the last block, else the response or the code in it.

    Blocks of other languages are left out, and what stands before ``</think>`` is not read. None without code.
    """
    text = response.rsplit("</think>", 1)[-1]
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "").replace("\u00a0", " ")
    blocks = _blocks(text)
    if blocks:
        return next((block for block in reversed(blocks) if _WRITES.search(block)), blocks[-1])
    if _FENCE.search(text):
        return None  # only blocks of other languages
    if text.strip() and compiles(text):
        return text
    return _bare_code(text)


def compiles(program: str) -> bool:
    try:
        compile(ast.parse(program), "solution.py", "exec")
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _blocks(text: str) -> list[str]:
    found = []
    for match in _FENCE.finditer(text):
        words = match["info"].strip().lower().split()
        if words and words[0] in _OTHER_LANGUAGES:
            continue
        lines = match["code"].split("\n")
        if ">" in match["indent"]:
            lines = [re.sub(r"^[ \t]*(?:>[ \t]?)+", "", line) for line in lines]
        code = "\n".join(lines)
        code = textwrap.dedent(code) if match["indent"].strip(">") else code
        if code.strip() and not code.lstrip().startswith(">>>"):
            found.append(code)
    return found


def _bare_code(text: str) -> str | None:
    """The longest stretch of code without a fence, from the first line that starts like code.

    None where more code follows it: then it is the beginning of a program that does not compile.
    """
    lines = text.split("\n")[:2000]
    starts = [number for number, line in enumerate(lines) if _START.match(line)][:20]
    for start in starts:
        margins = [at for at in range(len(lines), start, -1) if at == len(lines) or lines[at][:1].strip()]
        for end in margins[:40]:
            code = "\n".join(lines[start:end])
            if _WRITES.search(code) and compiles(code):
                return None if any(map(_MORE_CODE.match, lines[end:])) else code
    return None
