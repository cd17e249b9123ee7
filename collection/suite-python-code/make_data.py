"""Writes cases.jsonl.

``python make_data.py FOLDER``: the folder holds tasks.jsonl of HumanEval. Without a folder only the made cases are
written again. Deterministic. No verifier takes part: a label says what the code gives when plain Python runs it on the
source's own assertions.
"""

import ast
import contextlib
import io
import json
import signal
import sys
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "src"))

from suites_python_code import SOURCE  # noqa: E402 -- needs the path set above
from suites_python_code import cases as make_case  # noqa: E402 -- needs the path set above

DATA = ROOT / "src" / "suites_python_code"
HUMAN_EVAL, MIT = "openai/human-eval", "MIT, Copyright (c) OpenAI"
MADE = 240
CONTRADICTORY = {
    "HumanEval/116",  # its examples contradict its tests
    "HumanEval/124",  # the canonical solution calls valid dates invalid
}
FEWEST_TESTS = 3
SWAPS = {ast.Lt: ast.GtE, ast.Gt: ast.LtE, ast.Eq: ast.NotEq, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add}


def read_rows(path: Path) -> list[dict]:
    with path.open() as lines:  # splitlines() would also cut at characters that JSON strings may hold
        return [json.loads(line) for line in lines]


def read_tests(source: str) -> list[dict]:
    """``assert candidate(ARGS) == VALUE`` with plain values, each argument list once."""
    found: dict[str, dict] = {}
    for node in ast.walk(ast.parse(source)):
        compared = node.test if isinstance(node, ast.Assert) else None
        if not isinstance(compared, ast.Compare) or not isinstance(compared.ops[0], ast.Eq):
            continue
        called, wanted = compared.left, compared.comparators[0]
        if not isinstance(called, ast.Call) or ast.unparse(called.func) != "candidate":
            continue
        with contextlib.suppress(ValueError, TypeError):
            test = {"args": [ast.literal_eval(arg) for arg in called.args], "value": ast.literal_eval(wanted)}
            if json.loads(json.dumps(test)) == test:  # tuples, sets and keys that are no text stay out
                found[json.dumps(test["args"])] = test
    return list(found.values())


def is_right(program: str, entry: str, tests: list[dict]) -> bool:
    """Whether plain Python gives the wanted value for every test, within two seconds. The code is the source's own."""

    def too_late(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, too_late)
    signal.alarm(2)
    try:
        namespace: dict = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(program, namespace)
            return all(namespace[entry](*json.loads(json.dumps(t["args"]))) == t["value"] for t in tests)
    except Exception:  # noqa: BLE001 -- a changed program may raise anything, and then it is wrong
        return False
    finally:
        signal.alarm(0)


def changed_programs(program: str, entry: str) -> list[str]:
    """The program with one comparison, one sign or one whole number changed, at each place in turn."""
    found = []
    for place in range(len(list(ast.walk(ast.parse(program))))):
        tree = ast.parse(program)
        node = list(ast.walk(tree))[place]
        if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            node.ops[0] = SWAPS[type(node.ops[0])]()
        elif isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
            node.op = SWAPS[type(node.op)]()
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            node.value += 1
        else:
            continue
        found.append(ast.unparse(tree))
    return found


def human_eval(folder: Path) -> list[dict]:
    """Each task's own solution, and two changed ones that its own assertions refute."""
    found = []
    for row in read_rows(folder / "tasks.jsonl"):
        tests, entry = read_tests(row["test"]), row["entry_point"]
        program = row["prompt"] + row["canonical_solution"]
        if row["task_id"] in CONTRADICTORY or len(tests) < FEWEST_TESTS or not is_right(program, entry, tests):
            continue
        wrong = [one for one in changed_programs(program, entry) if not is_right(one, entry, tests)]
        task = {
            "id": row["task_id"].replace("/", "-").lower(),
            "prompt": f"Complete this Python function.\n\n```python\n{row['prompt'].strip()}\n```",
            "answer": tests, "info": {"function": {"prompt": row["prompt"], "entry": entry}},
        }  # fmt: skip
        codes = [
            ("correct", "solution", program),
            *(("incorrect", "changed", one) for one in wrong[:: len(wrong) // 2 or 1][:2]),
        ]
        for place, (label, tag, code) in enumerate(codes):
            found.append({
                "id": f"{task['id']}-{place}", "task": task, "response": f"```python\n{code.strip()}\n```",
                "label": label, "tags": [f"human-eval {tag}"], "source": HUMAN_EVAL, "licence": MIT,
                "labelled_by": "its source's tests, run",
            })  # fmt: skip
    return found


if __name__ == "__main__":
    if len(sys.argv) == 2:
        rows = human_eval(Path(sys.argv[1]))
    else:
        rows = [row for row in read_rows(DATA / "cases.jsonl") if row["source"] != SOURCE]
    rows += [make_case("public", 0, index) for index in range(MADE)]
    (DATA / "cases.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    print("cases.jsonl", len(rows))
