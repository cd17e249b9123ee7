"""How many wrong programs hidden tests accept on 64 tasks that the package does not have: ``python measure_fresh.py``.

Each task of ``fresh`` has a solution and a few tests of its author's; ``make_data.drawn_tests`` adds up to 24, as for
the package's own tasks. The solution is changed in the ways of ``measure_mutants`` and in six further ways, of which
the choice of tests knows nothing. A changed program is wrong if it fails a hidden test or gives another value on at
least three of 800 inputs that the task's own drawing gives. That drawing is written by hand and may leave what the
tests show. It takes some minutes.
"""

import argparse
import ast
import copy
import inspect
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(ROOT.parents[1])]

import measure_mutants  # noqa: E402 -- needs the path set above
from fresh import numbers, texts  # noqa: E402
from make_data import drawn_tests  # noqa: E402

from schemas.measures.clusters import clustered_rate  # noqa: E402

INPUTS = 800
Changed = tuple[str, str]


def programs() -> Iterator[tuple[str, str, list[list], Callable[[random.Random], list]]]:
    """(entry, program, the author's arguments, drawing) of each task."""
    for function, tests, draw in (*numbers.TASKS, *texts.TASKS):
        tree = ast.parse(inspect.getsource(function))
        tree.body[0].decorator_list = []  # type: ignore[attr-defined]
        yield function.__name__, ast.unparse(tree), tests, draw


def further(program: str, entry: str) -> Iterator[Changed]:
    """(kind, program) of changes that neither the package's choice of tests nor ``measure_mutants`` knows."""
    names = sorted({node.id for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Name)} & _locals(program))
    for place in range(sum(1 for _ in ast.walk(_function(ast.parse(program), entry)))):
        for kind, act in _ACTS.items():
            for choice in range(2 if kind == "other name" else 1):
                tree = ast.parse(program)
                node = list(ast.walk(_function(tree, entry)))[place]
                if act(node, names, choice):
                    yield kind, ast.unparse(ast.fix_missing_locations(tree))


def _function(tree: ast.Module, entry: str) -> ast.FunctionDef:
    return next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry)


def _locals(program: str) -> set[str]:
    nodes = list(ast.walk(ast.parse(program)))
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | {node.arg for node in nodes if isinstance(node, ast.arg)}


def _swapped(node: ast.AST, _names: list[str], _choice: int) -> bool:
    is_ordered = isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Mult)
    if is_ordered:
        node.left, node.right = node.right, node.left  # type: ignore[attr-defined]
    return is_ordered


def _without(node: ast.AST, _names: list[str], _choice: int) -> bool:
    """The first statement of a block that holds several left out, but for a docstring."""
    body = getattr(node, "body", None)
    start = 1 if isinstance(node, ast.FunctionDef) else 0
    if not isinstance(body, list) or len(body) < start + 2:
        return False
    del body[start]
    return True


def _negated(node: ast.AST, _names: list[str], _choice: int) -> bool:
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        node.test = ast.UnaryOp(ast.Not(), node.test)
        return True
    return False


def _other_name(node: ast.AST, names: list[str], choice: int) -> bool:
    if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names):
        return False
    others = [name for name in names if name != node.id]
    if choice >= len(others):
        return False
    node.id = others[(names.index(node.id) + choice) % len(others)]
    return True


def _bare_call(node: ast.AST, _names: list[str], _choice: int) -> bool:
    """``x.lower()`` and ``sorted(x)`` as ``x``."""
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.Call):
            inner = value.func.value if isinstance(value.func, ast.Attribute) and not value.args else None
            inner = value.args[0] if isinstance(value.func, ast.Name) and len(value.args) == 1 else inner
            if inner is not None:
                setattr(node, name, copy.deepcopy(inner))
                return True
    return False


def _one_more(node: ast.AST, _names: list[str], _choice: int) -> bool:
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice | ast.Tuple):
        node.slice = ast.BinOp(node.slice, ast.Add(), ast.Constant(value=1))
        return True
    return False


_ACTS: dict[str, Callable[[ast.AST, list[str], int], bool]] = {
    "swapped": _swapped, "left out": _without, "negated": _negated, "other name": _other_name,
    "bare call": _bare_call, "next place": _one_more,
}  # fmt: skip


def measured(*, show: bool) -> Iterator[tuple[str, bool, bool, bool]]:
    """Of each wrong one: entry, whether the change is a further one, accepted by all tests, by the author's alone."""
    for entry, program, arguments, draw in programs():
        canonical, rng = measure_mutants.loaded(program, entry), random.Random(f"fresh {entry}")
        own = [
            {"args": args, "value": json.loads(str(measure_mutants.value_of(canonical, args)))} for args in arguments
        ]
        hidden = [*own, *drawn_tests(program, entry, own)]
        inputs = [json.loads(json.dumps(draw(rng))) for _ in range(INPUTS)]
        known = [(args, value) for args in inputs if (value := measure_mutants.value_of(canonical, args)) is not None]
        assert len(known) == INPUTS, f"{entry}: its drawing gives inputs that it does not take"
        seen = {program}
        changed = [("", text) for text in measure_mutants.changed_programs(program, entry)]
        for kind, text in (*changed, *further(program, entry)):
            if text in seen:
                continue
            seen.add(text)
            function = measure_mutants.loaded(text, entry)
            fails = measure_mutants.fails_a_test(function, hidden)
            if fails or measure_mutants.is_wrong(function, known):
                if show and not fails:
                    print(f"--- {entry}: {kind or 'known kind'}\n{text}\n")
                yield entry, bool(kind), not fails, not measure_mutants.fails_a_test(function, own)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print each wrong program that the tests accept")
    found = list(measured(show=parser.parse_args().show))
    for what, rows in (
        ("changes of measure_mutants", [row for row in found if not row[1]]),
        ("further changes", [row for row in found if row[1]]),
        ("all", found),
    ):
        for tests, column in (("hidden tests", 2), ("the author's tests alone", 3)):
            rate = clustered_rate([(row[column], (row[0],)) for row in rows])
            count = sum(row[column] for row in rows)
            share = f"{100 * (rate.value or 0):.1f} % [{100 * rate.low:.1f}, {100 * rate.high:.1f}]"
            print(f"{what}, {tests}: {count} of {len(rows)} wrong programs accepted: {share}, {rate.clusters} tasks")
    print(f"tasks with an accepted one: {sorted({row[0] for row in found if row[2]})}")


if __name__ == "__main__":
    main()
