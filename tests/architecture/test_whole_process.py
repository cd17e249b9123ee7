"""A test looks at what it has made itself: several hundred files run in one process, and their threads live on.

Two runs were refused for one test each, of 21,000: it compared the descriptors of its process before and after, and
a thread of another test had opened a socket meanwhile.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = sorted(path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__))
APART = {"in_child", "in_interpreter", "ending_of", "Served", "child_of", "limited", "confined", "warmed", "preexec_fn"}
"""What runs a function in a process of its own: those of ``tests/sandbox/guest/forked.py``, and what leans on them."""
PATHS = {"/proc/self/fd", "/proc/self/task", "/proc/self/limits", "/proc/self/oom_score_adj"}
CALLS = {
    "descriptors", "_own_descriptors", "threading.enumerate", "threading.active_count", "gc.get_objects", "gc.freeze",
    "tracemalloc.start", "resource.setrlimit", "signal.signal", "signal.setitimer", "signal.alarm", "os.umask",
    "os.chdir", "os.wait", "os.closerange", "os.nice", "sys.setswitchinterval", "sys.setrecursionlimit", "time.tzset",
    "locale.setlocale", "time.process_time", "logging.disable", "multiprocessing.active_children",
}  # fmt: skip
"""What tells of the whole process, or changes it."""
PATCHES = {"setattr", "object", "patch"}
MAIN_THREAD = {"sys"}
"""May be patched: only a command of the main thread reads its streams, arguments and paths."""

# path::outermost function -> why it may. Keep near empty.
MAY_LOOK = {
    "tests/conftest.py::pytest_collection": "before the first test",
    "tests/conftest.py::pytest_configure": "before the first test",
    "tests/end_to_end/test_home_page_commands.py::run_in_terminal": "in a child of a terminal of its own",
    "tests/hub_server/database/test_kept_statements.py::test_threads_of_many_viewers_each_see_their_own": (
        "the threads of others are only slower meanwhile"
    ),
    "tests/making/fuzz_command.py::main": "it says what a whole run has cost",
    "tests/sandbox/cluster/links/test_ray.py::restored_signals": "Ray takes a signal over: it is given back",
    "tests/sandbox/guest/forked.py::ending_of": "in the child that it makes",
    "tests/sandbox/guest/test_child.py::open_files": "looks for a name that no other test gives",
    "tests/trainer_bridge/rollout/test_lost_rollouts.py::boxes": "those that were there before are taken away",
}
MAY_PATCH = {
    "tests/hub_client/commands/test_main.py::test_an_interrupted_init_leaves_nothing": "only below its own folder",
    "tests/hub_client/packaging/test_replacement.py::test_on_a_full_disk_nothing_is_changed_and_nothing_is_left": (
        "only below its own folder"
    ),
    "tests/hub_client/packaging/test_replacement.py::test_an_error_in_the_middle_puts_everything_back": (
        "only below its own folder"
    ),
    "tests/trainer_bridge/models/test_lora.py::test_without_peft_it_says_how_to_get_it": "every other import goes on",
    "tests/trainer_bridge/reports/test_trackers.py::test_an_unknown_name_and_a_missing_library_are_refused": (
        "every other import goes on"
    ),
    "tests/sandbox/guest/honest_snippets.py::mocks_of_the_clock": "run in a process of its own",
}
Named = Iterator[tuple[str, str]]


def _dotted(node: ast.AST) -> str:
    """``os.path.join``; ``?.join`` of what was called or indexed. ``ast.unparse`` took seconds for all names of all tests."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    elif parts:
        parts.append("?")
    return ".".join(reversed(parts))


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (one for one in ast.walk(node) if isinstance(one, ast.Call))


def _apart(tree: ast.Module) -> set[str]:
    """Functions that run in a process of their own: those that are handed over, and those that these call."""
    functions = {one.name: one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}
    handed = {_dotted(one) for call in _calls(tree) if _last(call.func) in APART for one in call.args}
    handed |= {_dotted(one.value) for call in _calls(tree) for one in call.keywords if one.arg in APART}
    found, new = set[str](), handed & functions.keys()
    while new:
        found |= new
        called = {_dotted(call.func) for name in new for call in _calls(functions[name])}
        new = (called & functions.keys()) - found
    return found


def _last(node: ast.AST) -> str:
    return _dotted(node).rpartition(".")[2]


def _here(node: ast.AST, apart: set[str]) -> Iterator[ast.AST]:
    """The nodes of what runs in the process of all tests. Pieces of a text are part of a path or a program."""
    if isinstance(node, ast.FunctionDef) and node.name in apart:
        return
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Call) and _last(node.func) in APART):
        return
    yield node
    for below in ast.iter_child_nodes(node):
        yield from _here(below, apart)


def looks(tree: ast.Module) -> Named:
    """The outermost function, and what it asks of the whole process."""
    apart = _apart(tree)
    for outermost in tree.body:
        for node in _here(outermost, apart):
            if isinstance(node, ast.Call) and _dotted(node.func) in CALLS:
                yield getattr(outermost, "name", ""), _dotted(node.func)
            elif isinstance(node, ast.Constant) and node.value in PATHS:
                yield getattr(outermost, "name", ""), str(node.value)


def patches(tree: ast.Module) -> Named:
    """The outermost function, and what it replaces of a library for every thread."""
    apart = _apart(tree)
    imports = [one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)]
    names = {alias.asname or alias.name: str(one.module) for one in imports for alias in one.names}
    for outermost in tree.body:
        for call in (node for node in _here(outermost, apart) if isinstance(node, ast.Call)):
            if _last(call.func) in PATCHES and call.args:
                first = call.args[0]
                path = str(first.value).rpartition(".")[0] if isinstance(first, ast.Constant) else _dotted(first)
                library = path.rpartition(".")[2]
                library = names.get(path, library).partition(".")[0] if path in names else library
                if library in sys.stdlib_module_names - MAIN_THREAD:
                    yield getattr(outermost, "name", ""), path


def _pattern(words: set[str]) -> Callable[[str], object]:
    return re.compile("|".join(map(re.escape, sorted(words)))).search


MAY_BE_THERE = {looks: _pattern(CALLS | PATHS), patches: _pattern({f"{name}(" for name in PATCHES})}
"""Most files have none of the words, and are not parsed."""


@pytest.mark.parametrize(
    ("look", "allowed", "instead"),
    [
        (looks, MAY_LOOK, "run it in a child (tests/sandbox/guest/forked.py), or look at what the test has made"),
        (patches, MAY_PATCH, "change it for the module under test (tests/making/altered_library.py)"),
    ],
)
def test_no_test_leans_on_its_process(
    look: Callable[[ast.Module], Named], allowed: dict[str, str], instead: str
) -> None:
    found: dict[str, set[str]] = {}
    texts = {path: path.read_text() for path in TESTS}
    for path in (path for path, text in texts.items() if MAY_BE_THERE[look](text)):
        for name, what in look(ast.parse(texts[path])):
            found.setdefault(f"{path.relative_to(ROOT)}::{name}", set()).add(what)
    assert {name: what for name, what in found.items() if name not in allowed} == {}, instead
    assert set(allowed) <= set(found), "no longer so: take its reason out"


@pytest.mark.parametrize(
    "text",
    [
        'def test():\n    before = len(os.listdir("/proc/self/fd"))',
        "def test():\n    assert [one for one in threading.enumerate() if one.daemon]",
        "def limit():\n    resource.setrlimit(1, (2, 2))\ndef test():\n    limit()",
        "def test():\n    before = descriptors()\n    in_child(body)",
    ],
)
def test_a_look_at_the_whole_process_is_seen(text: str) -> None:
    assert list(looks(ast.parse(text)))
    assert MAY_BE_THERE[looks](text)


@pytest.mark.parametrize(
    "text",
    [
        "def test():\n    def body():\n        descriptors()\n    in_child(body)",
        "def test():\n    in_child(lambda: os.umask(0))",
        "def look():\n    return descriptors()\ndef body():\n    return look()\ndef test():\n    in_interpreter(body)",
        'def test():\n    path = f"/proc/self/fd/{number}"',
    ],
)
def test_a_look_in_a_process_of_its_own_is_none(text: str) -> None:
    assert list(looks(ast.parse(text))) == []


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ('def test():\n    monkeypatch.setattr(os, "kill", kill)', ["os"]),
        ('def test():\n    monkeypatch.setattr(command.time, "sleep", sleep)', ["command.time"]),
        ('def test():\n    monkeypatch.setattr("a.b.shutil.copyfile", copy)', ["a.b.shutil"]),
        ('from pathlib import Path\ndef test():\n    monkeypatch.setattr(Path, "replace", fail)', ["Path"]),
        ('def test():\n    with patch("os.read", read): pass', ["os"]),
        ('def test():\n    monkeypatch.setattr("sys.stdin", typed)', []),
        ('from a.b import command\ndef test():\n    monkeypatch.setattr(command, "sleep", sleep)', []),
        ('def test():\n    monkeypatch.setattr("a.collections.changes.MOST", 2)', []),
    ],
)
def test_a_patched_library_is_seen(text: str, seen: list[str]) -> None:
    assert [path for _, path in patches(ast.parse(text))] == seen
    assert not seen or MAY_BE_THERE[patches](text)
