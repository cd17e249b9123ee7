"""Writes ``episodes.jsonl`` of each environment with a session in ``collection/``: labelled episodes for its page.

A case of ``audit.jsonl`` holds what a model did. Here the same kinds of cases are made on the validation split and
played through the package's own session, so that what the environment answered is in them too. Labels come from the
makers of the cases (``cases.py``), never from the verifier. Deterministic.
"""

import importlib
import json
import runpy
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

COLLECTION = Path(__file__).resolve().parents[1] / "collection"
TASKS = 4
"""So many tasks have a right and a wrong episode each."""
MOST_CHARACTERS = 5000
"""Of an episode as JSON; the page leaves longer ones than 6,000 out."""
AT_ONCE = 20
"""Buttons of one call in grid-rules, at most."""
Row = dict[str, Any]
Act = str | list[tuple[str, Row]]
"""What the model sends: a text, or calls of tools by name and arguments."""


def _call_each(state: Row, _: Any = None) -> Iterator[Act]:
    yield from ([(call["name"], call["arguments"])] for call in state["calls"])


def _of_calculator(state: Row, _: Any) -> Iterator[Act]:
    yield from ([("calculate", {"expression": each}) for each in turn] for turn in state["turns"])
    if state["said"] is not None:
        yield state["said"]


def _of_function_calls(state: Row, _: Any) -> Iterator[Act]:
    for turn in state["turns"]:
        yield from _call_each(turn)
        if turn["said"] is not None:
            yield turn["said"]


def _of_service_desk(state: Row, _: Any) -> Iterator[Act]:
    for event in state["events"]:
        yield event["say"] if "say" in event else [(event["call"], event["arguments"])]


def _of_grid_rules(state: Row, session: Any) -> Iterator[Act]:
    """What is left, again and again: a call ends where a level is won."""
    pressed, before = state.get("pressed"), -1
    while isinstance(pressed, str) and before < (now := len(session.state()["pressed"])) < len(pressed):
        yield [("press", {"buttons": pressed[now : now + AT_ONCE]})]
        before = now


def _of_sql(state: Row, _: Any) -> Iterator[Act]:
    """The query is tried before it is the answer, as a careful model does."""
    yield [("query", {"sql": state["answer"]})]
    yield f"```sql\n{state['answer']}\n```"


def _of_connections(state: Row, _: Any) -> Iterator[Act]:
    yield from ([("guess", {"words": words})] for words in state["guesses"])


def _of_wordle(state: Row, _: Any) -> Iterator[Act]:
    """Messages without a guess come first."""
    yield from ["Let me think."] * (state["messages"] - len(state["guesses"]))
    yield from (f"<guess>{guess}</guess>" for guess in state["guesses"])


ACTS: dict[str, Callable[[Row, Any], Iterator[Act]]] = {
    "calculator": _of_calculator,
    "cited-search": _call_each,
    "connections": _of_connections,
    "function-calls": _of_function_calls,
    "grid-rules": _of_grid_rules,
    "mail-assistant": _call_each,
    "service-desk": _of_service_desk,
    "sql-questions": _of_sql,
    "table-questions": _call_each,
    "tools-under-attack": _call_each,
    "wordle": _of_wordle,
}
"""Package -> how the end state of a case becomes what a model sent."""
OF_VALIDATION = ("function-calls", "grid-rules", "service-desk")
"""Packages whose labelled cases are of the validation split anyhow."""


def episodes_of(name: str) -> list[Row]:
    """The labelled episodes of a package: of the first tasks that have short ones, a right and a wrong one each.

    Wrong ones differ in what is wrong with them.
    """
    project = COLLECTION / name
    sys.path.insert(0, str(project / "src"))
    module = f"lecture_{name.replace('-', '_')}"
    package = importlib.import_module(module)
    cases = _cases_of(name, module)
    tasks = {row["id"]: row for row in _rows(project / "src" / module / "validation.jsonl")}
    by_task: dict[str, list[Row]] = {}
    for case in cases:
        by_task.setdefault(case.get("task_id") or case["task"]["id"], []).append(case)
    chosen: list[Row] = []
    seen: set[str] = set()
    for task_id, made in by_task.items():
        task = made[0].get("task") or tasks[task_id]
        pair = _pair_of(name, package, task, made, seen)
        if pair:
            seen |= {case["tags"][0] for case in pair}
            chosen += pair
        if len(chosen) == 2 * TASKS:
            return chosen
    raise SystemExit(f"{name}: only {len(chosen)} episodes are short enough")


def _cases_of(name: str, module: str) -> list[Row]:
    """Labelled cases of the validation split, from the package's maker.

    wordle's lies beside the package, and a game of one guess shows nothing of it.
    """
    if name == "wordle":
        made = runpy.run_path(str(COLLECTION / name / "make_data.py"))["make_cases"]("validation")
        return [case for case in made if case["state"]["messages"] > 1]
    maker = importlib.import_module(f"{module}.cases")
    return list(maker.make_cases() if name in OF_VALIDATION else maker.make_cases("validation", 120))


def _pair_of(name: str, package: Any, task: Row, cases: Iterable[Row], seen: set[str]) -> list[Row]:
    """A right and a wrong episode of one task, the wrong one of a kind that was not ``seen``; none where one lacks.

    One in which the model acts more than once tells more.
    """
    pair = []
    for label in ("correct", "incorrect"):
        fitting = (
            case for case in cases if case["label"] == label and (label == "correct" or case["tags"][0] not in seen)
        )
        played = [_played(name, package, task, case) for case in fitting]
        pair += sorted((case for case in played if case is not None), key=_acts_once)[:1]
    return pair if len(pair) == 2 else []


def _acts_once(case: Row) -> bool:
    return sum(message["role"] == "assistant" for message in case["messages"]) < 2


def _played(name: str, package: Any, task: Row, case: Row) -> Row | None:
    """The case with its messages; None where they are too long, or where a session does not come to the same state."""
    session = package.Session()
    messages = list(session.reset(task, 0)["messages"])
    done = False
    for number, act in enumerate(ACTS[name](case["state"], session)):
        if done:
            return None  # it goes on after the end, which a transcript cannot show
        messages.append(_message(act, number))
        turn = session.step(messages[-1])
        messages += turn["messages"]
        done = turn["done"]
    state = json.loads(json.dumps(session.state()))
    expected = {**case["state"], "queries": 1} if name == "sql-questions" else case["state"]
    if state != json.loads(json.dumps(expected)) or len(json.dumps(messages)) > MOST_CHARACTERS:
        return None
    return {**case, "id": f"episode-{case['id']}", "messages": messages, "state": state, "note": _note(case)}


def _message(act: Act, number: int) -> Row:
    if isinstance(act, str):
        return {"role": "assistant", "content": act}
    calls = [
        {"id": f"call-{number}-{place}", "type": "function", "function": {"name": tool, "arguments": json.dumps(given)}}
        for place, (tool, given) in enumerate(act)
    ]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def _note(case: Row) -> str:
    return case["tags"][0].replace("-", " ").capitalize() + "."


def _rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Write the files of the packages that are named on the command line, or of all."""
    for name in sys.argv[1:] or ACTS:
        found = episodes_of(name)
        [data] = (COLLECTION / name).glob("src/*/verihub.toml")
        text = "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in found)
        data.with_name("episodes.jsonl").write_text(text, encoding="utf-8")
        print(name, [f"{case['label']}: {case['tags'][0]}" for case in found])


if __name__ == "__main__":
    main()
