"""How many wrong programs the hidden tests accept: ``python measure_mutants.py``, by changes of its own, a few minutes.

A changed program is wrong if it fails a hidden test, or gives another value than the canonical one on at least three of
800 inputs that are drawn here, within what the task's tests show to be allowed. The data is trusted; it runs in this
process.
"""

import ast
import contextlib
import copy
import io
import json
import random
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "src"))

from lecture_python_functions.comparison import is_same  # noqa: E402 -- needs the path set above
from more_tests import draw_arguments  # noqa: E402

INPUTS, OTHERS, SECONDS, MOST_LATE = 800, 3, 0.5, 2
COMPARED = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.GtE, ast.NotEq: ast.Lt,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMPUTED = {
    ast.Add: ast.Mult, ast.Sub: ast.Mult, ast.Mult: ast.Sub, ast.FloorDiv: ast.Div, ast.Div: ast.FloorDiv,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "abs": "int"}
Change = tuple[str, Callable[[], object]]


class LateError(BaseException):
    """The program took too long."""


def changes(node: ast.AST) -> Iterator[Change]:
    """What can be changed at one place: a name, and the act."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield "one less", lambda: setattr(node, "value", node.value - 1)
        yield "nought", lambda: setattr(node, "value", 0 if node.value else 2)
    if isinstance(node, ast.Constant) and type(node.value) is str and 0 < len(node.value) < 8:
        yield "text", lambda: setattr(node, "value", "_" if node.value == " " else f"{node.value}x")
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
        yield "comparison", lambda: node.ops.__setitem__(0, COMPARED[type(node.ops[0])]())
    if isinstance(node, ast.BinOp) and type(node.op) in COMPUTED:
        yield "operator", lambda: setattr(node, "op", COMPUTED[type(node.op)]())
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", lambda: setattr(node, "op", ast.UAdd())
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from _of_call(node, node.func)
    if isinstance(node, ast.If):
        yield "always", lambda: setattr(node, "test", ast.Constant(value=True))
        yield "never", lambda: setattr(node, "test", ast.Constant(value=False))
    if isinstance(node, ast.For | ast.While | ast.If) and len(node.body) > 1:
        yield "last statement", lambda: node.body.pop()
    if isinstance(node, ast.Slice):
        yield "slice", lambda: setattr(node, "lower" if node.lower is not None else "upper", None)
    if isinstance(node, ast.BoolOp):
        yield "condition", lambda: node.values.__setitem__(slice(1, None), [node.values[0]])
    if isinstance(node, ast.ListComp | ast.GeneratorExp) and node.generators[0].ifs:
        yield "filter", lambda: node.generators[0].ifs.clear()


def _of_call(node: ast.Call, function: ast.Name) -> Iterator[Change]:
    if function.id in CALLED:
        yield "function", lambda: setattr(function, "id", CALLED[function.id])
    if function.id == "range":
        shorter = ast.BinOp(node.args[-1], ast.Sub(), ast.Constant(value=1))
        yield "loop", lambda: node.args.__setitem__(-1, shorter)


def changed_programs(program: str, entry: str) -> Iterator[str]:
    """The canonical program with one thing changed, each once."""
    tree = ast.parse(program)
    seen = {ast.unparse(tree)}
    for place in range(len(list(_nodes(tree, entry)))):
        for index in range(len(list(changes(list(_nodes(tree, entry))[place])))):
            changed = copy.deepcopy(tree)
            _, act = list(changes(list(_nodes(changed, entry))[place]))[index]
            act()
            text = ast.unparse(ast.fix_missing_locations(changed))
            if text not in seen:
                seen.add(text)
                yield text


def _nodes(tree: ast.Module, entry: str) -> Iterator[ast.AST]:
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry)
    for statement in function.body:
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):  # the docstring
            yield from ast.walk(statement)


def value_of(function: Callable[..., object], args: list) -> str | None:
    """Its value as JSON; None where it raises, is late, or gives no JSON. Raises :class:`LateError` for late ones."""

    def late(*_: object) -> None:
        raise LateError

    signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        with contextlib.redirect_stdout(io.StringIO()):
            return json.dumps(function(*json.loads(json.dumps(args))), allow_nan=False)
    except LateError:
        raise
    except Exception:  # noqa: BLE001 -- a changed program may raise anything
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def differs(function: Callable[..., object], args: list, value: str) -> bool:
    """Another value than this one, or none."""
    found = value_of(function, args)
    return found is None or not is_same(json.loads(found), json.loads(value))


def fails_a_test(function: Callable[..., object], tests: list[dict]) -> bool:
    try:
        return any(differs(function, test["args"], json.dumps(test["value"])) for test in tests)
    except LateError:
        return True


def is_wrong(function: Callable[..., object], known: list[tuple[list, str]]) -> bool:
    """At least ``OTHERS`` other values. A late one counts as one; after a few no more are tried."""
    others = late = 0
    for args, value in known:
        try:
            others += differs(function, args, value)
        except LateError:
            others, late = others + 1, late + 1
        if others >= OTHERS or late > MOST_LATE:
            break
    return others >= OTHERS


def loaded(program: str, entry: str) -> Callable[..., object]:
    namespace: dict = {}
    exec(compile(program, "program", "exec"), namespace)
    return namespace[entry]


def main() -> None:
    made = wrong = 0
    accepted: list[str] = []
    with (ROOT / "src" / "lecture_python_functions" / "tasks.jsonl").open() as lines:
        tasks = [json.loads(line) for line in lines]
    for task in tasks:
        entry, tests = task["info"]["function"]["entry"], task["answer"]
        program = task["info"]["function"]["prompt"] + task["info"]["canonical"]
        canonical = loaded(program, entry)
        inputs = draw_arguments(tests, random.Random(f"measured {entry}"), INPUTS)
        known = [(args, value) for args in inputs if (value := value_of(canonical, args)) is not None]
        for text in changed_programs(program, entry):
            function, made = loaded(text, entry), made + 1
            if fails_a_test(function, tests):
                wrong += 1
            elif is_wrong(function, known):
                wrong += 1
                accepted.append(task["id"])
    print(f"{made} changed programs, {wrong} wrong, {len(accepted)} of them accepted: {sorted(set(accepted))}")


if __name__ == "__main__":
    main()
