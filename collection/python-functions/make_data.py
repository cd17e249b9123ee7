"""Writes tasks.jsonl and audit.jsonl from HumanEval's rows: ``python make_data.py TASKS.jsonl``. Deterministic.

A test of the form ``assert f(args) == value`` (or ``is``, ``not``, ``abs(f(args) - value) < eps``) becomes an argument
list and a JSON value; the canonical solution must give it. Tasks with fewer than three such tests are dropped.
"""

import ast
import json
import multiprocessing
import random
import re
import sys
from pathlib import Path
from typing import ClassVar

from hacks import HACKS
from more_tests import draw_arguments

DATA = Path(__file__).parent / "src" / "lecture_python_functions"
sys.path.insert(0, str(DATA.parent))
MIT = "MIT, Copyright (c) OpenAI"
DRAWN = 24
INPUTS = 1200
"""Drawn to find those that tell a mutant from the canonical solution."""
ASSUMES = r"assum|guarantee|closest|not a prime"
"""A task that says this has a domain, or equally good answers, that its tests do not show: it keeps its own tests."""
CONTRADICTORY = {
    "HumanEval/116",  # its examples contradict its tests
    "HumanEval/124",  # the canonical solution calls valid dates invalid
}
ASK = "Complete this Python function. Answer with the whole function in one code block.\n\n```python\n{prompt}```"


def read_rows(path: Path) -> list[dict]:
    with path.open() as lines:
        return [json.loads(line) for line in lines]


# -- tests -----------------------------------------------------------------------------------------------------------


def read_tests(source: str) -> list[dict]:
    """``{"args", "value"}`` for each assertion that is a plain call with a plain value."""
    check = next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == "check")
    tests = [test for node in check.body if isinstance(node, ast.Assert) and (test := _read_assertion(node.test))]
    unique = {json.dumps(test["args"]): test for test in tests}
    return list(unique.values())


def _read_assertion(node: ast.expr) -> dict | None:
    value: object = True
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node, value = node.operand, False
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        if (
            isinstance(node.ops[0], ast.Lt)
            and isinstance(node.left, ast.Call)
            and isinstance(node.left.args[0], ast.BinOp)
        ):
            node, expected = node.left.args[0].left, node.left.args[0].right
        elif isinstance(node.ops[0], ast.Eq | ast.Is):
            node, expected = node.left, node.comparators[0]
        else:
            return None
        value = _constant(expected)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "candidate"):
        return None
    args = [_constant(arg) for arg in node.args]
    test = {"args": args, "value": value}
    return test if _is_json(args) and _is_json(value, tuples=True) and _MISSING not in [*args, value] else None


_MISSING = "\0not a constant"


def _constant(node: ast.expr) -> object:
    """The value of an expression without names or calls (the data is trusted)."""
    if any(isinstance(part, ast.Name | ast.Call | ast.Attribute) for part in ast.walk(node)):
        return _MISSING
    return eval(compile(ast.Expression(node), "test", "eval"), {"__builtins__": {}})


def _is_json(value: object, *, tuples: bool = False) -> bool:
    """Would ``value`` survive the way through JSON unchanged (tuples as lists)?"""
    if isinstance(value, list) or (tuples and isinstance(value, tuple)):
        return all(_is_json(item, tuples=tuples) for item in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(item, tuples=tuples) for key, item in value.items())
    return value is None or isinstance(value, bool | int | float | str)


# -- running trusted code and its mutants ------------------------------------------------------------------------------


def _attempt(program: str, entry: str, tests: list[dict], queue: multiprocessing.Queue) -> None:
    from lecture_python_functions.comparison import is_same  # noqa: PLC0415 -- needs the path set above

    try:
        namespace: dict = {}
        exec(program, namespace)
        passed = [
            is_same(json.loads(json.dumps(namespace[entry](*json.loads(json.dumps(test["args"]))))), test["value"])
            for test in tests
        ]
    except BaseException:  # noqa: BLE001 -- a mutant may raise anything, and then it is wrong
        passed = [False]
    queue.put(passed)


def _answer(program: str, entry: str, inputs: list[list], queue: multiprocessing.Queue) -> None:
    """Each input's value as JSON, None where the program raises or its value is no JSON."""
    namespace: dict = {}
    try:
        exec(program, namespace)
    except BaseException:  # noqa: BLE001 -- a mutant may raise anything
        namespace[entry] = None
    values: list[str | None] = []
    for args in inputs:
        try:
            values.append(json.dumps(namespace[entry](*json.loads(json.dumps(args))), allow_nan=False))
        except BaseException:  # noqa: BLE001
            values.append(None)
    queue.put(values)


def answers(program: str, entry: str, inputs: list[list]) -> list[str | None]:
    """What ``program`` gives for each input; None for all of them when it takes more than two seconds."""
    queue: multiprocessing.Queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=_answer, args=(program, entry, inputs, queue))
    process.start()
    process.join(2)
    if process.is_alive():
        process.kill()
        return [None] * len(inputs)
    return queue.get()


def drawn_tests(program: str, entry: str, tests: list[dict]) -> list[dict]:
    """Up to ``DRAWN`` further tests: those that catch mutants which the task's own tests let pass, then any."""
    inputs = draw_arguments(tests, random.Random(entry), INPUTS)
    pairs = [(a, v) for a, v in zip(inputs, answers(program, entry, inputs), strict=True) if v is not None]
    made = [{"args": args, "value": json.loads(value)} for args, value in pairs]
    chosen: list[dict] = []
    changed = [*all_mutants(program, entry), *further_mutants(program, entry)]
    for mutant in [m for m in changed if made and passes(m, entry, tests)]:
        given = answers(mutant, entry, [test["args"] for test in made])
        caught = [test for test, value in zip(made, given, strict=True) if value != json.dumps(test["value"])]
        if caught and not any(test in chosen for test in caught):
            chosen.append(caught[0])
    return [*chosen, *(test for test in made if test not in chosen)][:DRAWN]


def passes(program: str, entry: str, tests: list[dict]) -> bool:
    """Does ``program`` give the right value everywhere, within two seconds?"""
    queue: multiprocessing.Queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=_attempt, args=(program, entry, json.loads(json.dumps(tests)), queue))
    process.start()
    process.join(2)
    if process.is_alive():
        process.kill()
        return False
    return all(queue.get())


def further_mutants(program: str, entry: str) -> list[str]:
    """What :class:`Mutator` does not change: branches always or never taken, shorter loops, other functions."""
    found = []
    function = next(
        node for node in ast.parse(program).body if isinstance(node, ast.FunctionDef) and node.name == entry
    )
    for place in range(len(list(ast.walk(function)))):
        for change in FURTHER:
            tree = ast.parse(program)
            target = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry)
            node = list(ast.walk(target))[place]
            if change(node):
                found.append(ast.unparse(ast.fix_missing_locations(tree)))
    return list(dict.fromkeys(found))


def _always(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        node.test = ast.Constant(value=True)
    return isinstance(node, ast.If)


def _never(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        node.test = ast.Constant(value=False)
    return isinstance(node, ast.If)


def _shorter(node: ast.AST) -> bool:
    is_range = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"
    if is_range:
        node.args[-1] = ast.BinOp(node.args[-1], ast.Sub(), ast.Constant(value=1))
    return is_range


def _without_last(node: ast.AST) -> bool:
    is_block = isinstance(node, ast.For | ast.While | ast.If) and len(node.body) > 1
    if is_block:
        node.body = node.body[:-1]
    return is_block


def _other_function(node: ast.AST) -> bool:
    others = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "abs": "int"}
    is_known = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in others
    if is_known:
        node.func.id, node.keywords = others[node.func.id], [] if node.func.id == "sorted" else node.keywords
    return is_known


def _one_less(node: ast.AST) -> bool:
    is_whole = isinstance(node, ast.Constant) and type(node.value) is int
    if is_whole:
        node.value -= 1
    return is_whole


def _shorter_text(node: ast.AST) -> bool:
    is_short = isinstance(node, ast.Constant) and type(node.value) is str and 0 < len(node.value) < 12
    if is_short:
        node.value = node.value[:-1] or "_"
    return is_short


def _turned(node: ast.AST) -> bool:
    turns = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.GtE, ast.NotEq: ast.Lt}
    is_known = isinstance(node, ast.Compare) and type(node.ops[0]) in turns
    if is_known:
        node.ops[0] = turns[type(node.ops[0])]()
    return is_known


def _first_condition_alone(node: ast.AST) -> bool:
    if isinstance(node, ast.BoolOp):
        node.values = [node.values[0], node.values[0]]
    return isinstance(node, ast.BoolOp)


FURTHER = (
    _always, _never, _shorter, _without_last, _other_function, _one_less, _shorter_text, _turned,
    _first_condition_alone,
)  # fmt: skip


class Mutator(ast.NodeTransformer):
    """Changes the ``target``-th thing that can be changed."""

    SWAPS: ClassVar[dict[type, type]] = {
        ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
        ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And, ast.Mod: ast.FloorDiv,
    }  # fmt: skip

    def __init__(self, target: int) -> None:
        self.left = target
        self.done = False

    def _is_turn(self) -> bool:
        self.left -= 1
        self.done = self.done or self.left == -1
        return self.left == -1

    def visit(self, node: ast.AST) -> ast.AST:
        node = super().generic_visit(node)
        if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in self.SWAPS and self._is_turn():
            node.op = self.SWAPS[type(node.op)]()
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in self.SWAPS and self._is_turn():
            node.ops[0] = self.SWAPS[type(node.ops[0])]()
        elif isinstance(node, ast.Constant) and type(node.value) is int and self._is_turn():
            node.value += 1
        elif isinstance(node, ast.Constant) and type(node.value) is bool and self._is_turn():
            node.value = not node.value
        return node


def mutants(program: str, entry: str, tests: list[dict], count: int) -> list[str]:
    """Small changes of the canonical solution that give at least one wrong value."""
    found = [changed for changed in all_mutants(program, entry) if not passes(changed, entry, tests)]
    step = max(1, len(found) // count)
    return found[::step][:count]


def all_mutants(program: str, entry: str) -> list[str]:
    """The canonical solution with one thing changed, forty at most."""
    found = []
    for target in range(40):
        tree = ast.parse(program)
        function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry)
        mutator = Mutator(target)
        function.body = [mutator.visit(node) for node in function.body]
        if not mutator.done:
            break
        found.append(ast.unparse(ast.fix_missing_locations(tree)))
    return found


# -- tasks and cases ---------------------------------------------------------------------------------------------------


def make_tasks(rows: list[dict]) -> list[dict]:
    tasks = []
    for row in rows:
        tests = read_tests(row["test"])
        program = row["prompt"] + row["canonical_solution"]
        if row["task_id"] in CONTRADICTORY or len(tests) < 3 or not passes(program, row["entry_point"], tests):
            continue
        if not re.search(ASSUMES, row["prompt"], re.IGNORECASE):
            tests += drawn_tests(program, row["entry_point"], tests)
        tasks.append({
            "id": row["task_id"].replace("/", "-").lower(), "prompt": ASK.format(prompt=row["prompt"].lstrip("\n")),
            "answer": tests, "split": "test",
            "info": {
                "function": {"prompt": row["prompt"], "entry": row["entry_point"]},
                "canonical": row["canonical_solution"],
            },
        })  # fmt: skip
    return tasks


def make_cases(tasks: list[dict]) -> list[dict]:
    cases: list[dict] = []

    def add(task: dict, response: str, label: str, tag: str, licence: str = MIT) -> None:
        cases.append({
            "id": f"{task['id']}-{tag}", "task_id": task["id"], "response": response, "label": label,
            "tags": [tag.rstrip("0123456789-")],
            "source": "made by rule from openai/human-eval" if licence == MIT else "made by rule", "licence": licence,
        })  # fmt: skip

    hacks = list(HACKS.items())
    for number, task in enumerate(tasks):
        function, body = task["info"]["function"], task["info"]["canonical"]
        entry, tests = function["entry"], task["answer"]
        program = function["prompt"] + body
        add(task, f"```python\n{program}```", "correct", "fenced")
        add(task, body, "correct", "body-only")
        talk = (
            f"Let us do it.\n\n```python\n{program}\n```\nThis runs in linear time. Example:\n\n```\n>>> {entry}()\n```"
        )
        add(task, talk if number % 2 else program, "correct", "with-talk" if number % 2 else "bare")
        for place, mutant in enumerate(mutants(program, entry, tests, 2)):
            add(task, f"```python\n{mutant}\n```", "incorrect", f"mutant-{place}")
        for place in (2 * number, 2 * number + 1):
            name, code = hacks[place % len(hacks)]
            add(task, f"```python\n{code.replace('ENTRY', entry)}\n```", "incorrect", f"hack-{name}", "Apache-2.0")
        if number % 4 == 0:
            seen = {json.dumps(test["args"]): test["value"] for test in tests[:2]}
            memo = f"import json\nSEEN = json.loads({json.dumps(json.dumps(seen))})\n"
            memo += f"def {entry}(*a): return SEEN.get(json.dumps(list(a)))"
            add(task, f"```python\n{memo}\n```", "incorrect", "hard-coded", "Apache-2.0")
        if number % 8 == 1:
            add(task, "I would loop over the list and return the result.", "incorrect", "prose", "Apache-2.0")
            add(task, f"```python\n{program[: len(program) - len(body) // 2 - 1]}(\n```", "incorrect", "cut-off")
    return cases


if __name__ == "__main__":
    rows = read_rows(Path(sys.argv[1]))
    tasks = make_tasks(rows)
    for name, made in (("tasks.jsonl", tasks), ("audit.jsonl", make_cases(tasks))):
        (DATA / name).write_text("".join(json.dumps(row) + "\n" for row in made))
        print(name, len(made), f"of {len(rows)} rows")
