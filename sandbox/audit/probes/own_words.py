"""The words that a verifier's own code looks for: its short texts, and an example of each of its patterns."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from sandbox.audit.probes.folded_text import Folder
from sandbox.audit.probes.pattern_example import example_of
from schemas.manifest import Manifest
from schemas.wheels.archive import read_archive
from schemas.wheels.wheel_error import WheelError

_LARGEST = 100_000  # chosen: characters of a module; verifiers that people write by hand are shorter
_LARGEST_WHEEL = 8_000_000  # bytes; chosen: it is read once more for these words alone
_LETTERS = range(2, 61)
"""Characters of a word. A longer text is a message or documentation, and nobody compares it with a response."""
_TABLE = 7
"""Items from which on a list is a table, of units or of other names for an answer, and no list of what to look for."""
_IS_COMMAND = re.compile(r"\\[A-Za-z]+\{?")
_IS_PATTERN = re.compile(r"[\\\[(|?*+^$]")


def words_of(wheel: Path, manifest: Manifest) -> tuple[str, ...]:
    """The words of all modules, those of the verifier's own first. Nothing is imported or run.

    Words in tables (dictionaries, long lists) are left out: such a word may be another name for an answer.
    """
    if not wheel.is_file() or wheel.stat().st_size > _LARGEST_WHEEL:
        return ()
    try:
        files = read_archive(wheel.read_bytes())
    except WheelError:
        return ()
    first = (manifest.verifier or "").partition(":")[0].replace(".", "/")
    names = sorted(name for name in files if name.endswith(".py"))
    names.sort(key=lambda name: not name.startswith((f"{first}.py", f"{first}/__init__.py")))
    return words_in(*(files[name].decode(errors="replace") for name in names))


def words_in(*modules: str) -> tuple[str, ...]:
    """The words of modules' sources, each once; nothing of one that is no Python."""
    return tuple(dict.fromkeys(word for source in modules for text in _texts(source) for word in _word(text)))


def _texts(source: str) -> Iterator[str]:
    """The texts of a module, also those that it puts together; without docstrings and tables."""
    if len(source) > _LARGEST:
        return
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    folder, waiting = Folder(module), [*ast.iter_child_nodes(module)]
    while waiting:
        node = waiting.pop(0)
        if (text := folder.text_of(node)) is not None:
            yield text
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        is_table = isinstance(node, ast.Dict) or (
            isinstance(node, ast.List | ast.Tuple | ast.Set) and len(node.elts) >= _TABLE
        )
        is_said_to_nobody = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_table and not is_said_to_nobody:
            waiting += ast.iter_child_nodes(node)


def _word(text: str) -> Iterator[str]:
    """The text, and what it would match as a pattern, where somebody could write it on one line."""
    found = [example_of(text) or ""] if _IS_PATTERN.search(text) else [text]
    if _IS_COMMAND.fullmatch(text):  # as a text it is LaTeX, as a pattern the end of a word
        found.append(text)
    for one in found:
        word = one.strip()
        if len(word) in _LETTERS and word.isprintable() and sum(sign.isalpha() for sign in word) >= _LETTERS.start:
            yield word
