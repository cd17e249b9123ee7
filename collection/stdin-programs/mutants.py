"""Programs with one thing changed, and what they print: for choosing hidden inputs, and for measuring them."""

import ast
import copy
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "src"))

from lecture_stdin_programs.problem import Problem

STEPS = 20_000
"""Rounds of loops and calls that a changed program may take for an input. Steps and no clock, so that a busy machine
makes the same data; the right programs take 313 at most."""
COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult, ast.Mod: ast.Add,
    ast.Pow: ast.Mult,
}  # fmt: skip
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "abs": "int"}


class LateError(BaseException):
    """The program took too many steps."""


def changes(node: ast.AST) -> Iterator[Callable[[], object]]:
    """What can be changed at one place: one token each."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield lambda: setattr(node, "value", node.value + 1)
        yield lambda: setattr(node, "value", node.value - 1)
    if isinstance(node, ast.Compare):
        for place, one in enumerate(node.ops):
            if type(one) in COMPARED:
                yield lambda place=place, one=one: node.ops.__setitem__(place, COMPARED[type(one)]())
    if isinstance(node, ast.BinOp) and type(node.op) in COMPUTED:
        yield lambda: setattr(node, "op", COMPUTED[type(node.op)]())
    if isinstance(node, ast.AugAssign) and type(node.op) in COMPUTED:
        yield lambda: setattr(node, "op", COMPUTED[type(node.op)]())
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield lambda: setattr(node, "op", other)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield lambda: setattr(node, "op", ast.UAdd())
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLED:
        is_plain = node.func.id != "sorted" or len(node.args) + len(node.keywords) == 1
        yield from [] if not is_plain else [lambda: setattr(node.func, "id", CALLED[node.func.id])]


def changed(source: str) -> list[str]:
    """The source with one change, each once."""
    tree = ast.parse(source)
    found = []
    for place, node in enumerate(ast.walk(tree)):
        for index in range(len(list(changes(node)))):
            other = copy.deepcopy(tree)
            list(changes(list(ast.walk(other))[place]))[index]()
            found.append(ast.unparse(ast.fix_missing_locations(other)) + "\n")
    return [text for text in dict.fromkeys(found) if text != ast.unparse(tree) + "\n"]


class _Counted(ast.NodeTransformer):
    """Puts ``_step()`` first in every loop and function."""

    def _begin(self, node):
        self.generic_visit(node)
        node.body.insert(0, ast.parse("_step()").body[0])
        return node

    visit_For = visit_While = visit_FunctionDef = _begin  # noqa: N815 -- names that ast calls


def outputs(source: str, inputs: list[str]) -> list[str | None]:
    """What it prints for each input; None where it raises or takes too many steps. After that it is late for all."""
    left = STEPS

    def step() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise LateError

    namespace: dict = {"_step": step}
    found: list[str | None] = []
    try:
        tree = ast.fix_missing_locations(_Counted().visit(ast.parse(source)))
        exec(compile(tree, "changed", "exec"), namespace)
        for one in inputs:
            left = STEPS
            try:
                found.append(str(namespace["solve"](one)))
            except Exception:  # noqa: BLE001 -- a changed program may raise anything
                found.append(None)
    except LateError:
        pass
    return found + [None] * (len(inputs) - len(found))


def is_right(problem: Problem, stdin: str, output: str | None, wanted: str) -> bool:
    """As the package compares, with a checker that runs here: it is our own."""
    from lecture_stdin_programs.comparison import close_numbers, same_lines, same_tokens  # noqa: PLC0415

    if output is None:
        return False
    how = problem.judged_by
    if how["compare"] == "checker":
        namespace: dict = {}
        exec(how["checker"], namespace)
        return namespace["check"](stdin, output, wanted) is True
    compare = {"tokens": same_tokens, "lines": same_lines}.get(how["compare"]) or close_numbers(how["tolerance"])
    return compare(output, wanted)


def inputs_that_kill(problem: Problem, rng: random.Random, wanted: int, pool: int = 160) -> list[dict]:
    """``wanted`` tests of a pool, first those that tell most of the changed programs from the right one."""
    inputs = list(dict.fromkeys(problem.draw(rng) for _ in range(pool)))
    right = [str(each) for each in outputs(problem.source, inputs)]
    kills: list[set[int]] = [set() for _ in inputs]
    for number, text in enumerate(changed(problem.source)):
        for place, output in enumerate(outputs(text, inputs)):
            if not is_right(problem, inputs[place], output, right[place]):
                kills[place].add(number)
    chosen: list[int] = []
    left = set().union(*kills)
    while len(chosen) < wanted:
        best = max((at for at in range(len(inputs)) if at not in chosen), key=lambda at: (len(kills[at] & left), -at))
        chosen.append(best)
        left -= kills[best]
        if not left:
            left = set().union(*kills)
    rng.shuffle(chosen)
    return [{"stdin": inputs[place], "stdout": right[place]} for place in chosen]
