"""A small library of our own in the shape of BFCL's services and its checker of several turns."""

import json

import pytest

from hub_client.imports import library as libraries
from hub_client.imports.registry import Request
from hub_client.imports.sources.bfcl import Bfcl
from hub_client.imports.sources.bfcl_turns import cases
from tests.hub_client.imports.package_answers import told
from tests.making import library as making

FILES_API = """
class GorillaFileSystem:
    def _load_scenario(self, scenario, long_context=False):
        self.names, self._long = list(scenario["names"]), long_context

    def touch(self, name):
        self.names.append(name)

    def sort(self, name):
        return {"sorted": sorted(self.names), "name": name, "long": self._long}

    def kind(self, name):
        raise ValueError(f"no kind of {name}")
"""
CHECKER = """
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_utils import execute_multi_turn_func_call


def multi_turn_checker(turns, right, entry, category, model):
    assert category == entry["id"].rsplit("_", 1)[0]
    words = {"initial_config": entry["initial_config"], "involved_classes": entry["involved_classes"],
             "test_entry_id": entry["id"], "long_context": "long_context" in category, "is_evaL_run": True}
    for made, wanted in zip(turns, right, strict=True):
        mine = {}
        answers = []
        for step in made:
            said, mine = execute_multi_turn_func_call(func_call_list=step, model_name=model, **words)
            answers += said
        expected, theirs = execute_multi_turn_func_call(func_call_list=wanted, model_name=model + "_truth", **words)
        if wanted and (not made or any(vars(mine[name]) != vars(theirs[name]) for name in theirs)):
            return {"valid": False}
        if any(answer not in answers for answer in expected):
            return {"valid": False}
    return {"valid": True}
"""
EVAL = "def execute_multi_turn_func_call(func_call_list, **_):\n    return list(map(eval, func_call_list)), {}\n"
TURNS = "bfcl_eval/eval_checker/multi_turn_eval"


def _described(function: str, **kinds: str) -> str:
    properties = {key: {"type": kind} for key, kind in kinds.items()}
    parameters = {"type": "dict", "properties": properties, "required": list(kinds)}
    return (
        json.dumps({"name": function, "description": function, "parameters": parameters, "response": {"type": "dict"}})
        + "\n"
    )


def _user(text: str) -> list[dict]:
    return [{"role": "user", "content": text}]


QUESTION = {
    "question": [_user("Make b."), _user("Sort it."), []],
    "initial_config": {"GorillaFileSystem": {"names": ["z"]}},
    "involved_classes": ["GorillaFileSystem"],
    "missed_function": {"2": ["sort"]},
}
RIGHT = [["touch('b')"], [], ["sort(name='b')"]]
FILES = {
    "bfcl_eval/__init__.py": "raise ImportError('every client')\n",
    "bfcl_eval/constants/__init__.py": "",
    "bfcl_eval/constants/executable_backend_config.py": (
        f"CLASS_FILE_PATH_MAPPING = {{'GorillaFileSystem': '{TURNS.replace('/', '.')}.files'}}\nSTATELESS_CLASSES = []\n"
    ),
    "bfcl_eval/eval_checker/__init__.py": "raise ImportError('every client')\n",
    f"{TURNS}/__init__.py": "",
    f"{TURNS}/files.py": FILES_API,
    f"{TURNS}/multi_turn_checker.py": CHECKER,
    f"{TURNS}/multi_turn_utils.py": EVAL,
    "bfcl_eval/data/multi_turn_func_doc/gorilla_file_system.json": _described("touch", name="string")
    + _described("sort", name="string")
    + _described("kind", name="float"),
    **{
        f"bfcl_eval/data/{folder}BFCL_v4_{category}.json": json.dumps({"id": f"{category}_0", **rows})
        for category in ("multi_turn_base", "multi_turn_miss_func", "multi_turn_long_context")
        for folder, rows in (("", QUESTION), ("possible_answer/", {"ground_truth": RIGHT}))
    },
}


@pytest.fixture
def bfcl(cache, monkeypatch) -> Bfcl:
    parts = {"bfcl-eval": (FILES, ("mpmath==1.3.0", "torch")), "mpmath==1.3.0": ({"mpmath.py": ""}, ())}
    locks = {
        asked: making.keep(cache, name, "1.3.0", making.plain_wheel(name, "1.3.0", files, needs))
        for asked, (files, needs) in parts.items()
        for name in [asked.partition("=")[0]]
    }
    monkeypatch.setattr(libraries, "lock_alone", lambda asked, *_: locks[asked])
    return Bfcl(Request(cache))


def _call(tool: str, **arguments: object) -> dict:
    return {"tool": tool, "arguments": arguments}


RIGHT_MOVES = [[_call("touch", name="b")], "Done.", "Done.", [_call("sort", name="b")], "Done."]


def test_a_task_has_the_first_request_and_the_librarys_solution_as_moves(bfcl) -> None:
    (task,) = bfcl.draft("multi_turn_miss_func").splits["test"]
    assert task["prompt"] == _user("Make b.")
    assert task["answer"] == RIGHT_MOVES
    assert [each["name"] for each in task["info"]["functions"]] == ["touch", "kind"], "sort is offered later"
    assert [each["name"] for each in task["info"]["added"]["2"]] == ["sort"]
    assert task["info"]["functions"][1]["parameters"] == {
        "type": "object",
        "properties": {"name": {"type": "number"}},
        "required": ["name"],
    }
    assert "response" not in task["info"]["functions"][0]


def test_only_what_the_services_import_is_looked_up(bfcl) -> None:
    """The library depends on gigabytes, by way of a model's memory."""
    needs = bfcl.draft("multi_turn_base").needs
    assert ([item.name for item in needs.lock], needs.without) == (["bfcl-eval", "mpmath"], ["torch"])


def test_cases_are_the_solution_and_what_lacks_a_turn(bfcl) -> None:
    draft = bfcl.draft("multi_turn_miss_func")
    made = {case["tags"][0]: (case["state"]["moves"], case["label"]) for case in cases(draft.splits["test"])}
    assert made == {
        "own-moves": (RIGHT_MOVES, "correct"),
        "one-turn-left-out": ([*RIGHT_MOVES[:3], "Done."], "incorrect"),
        "words-alone": (["Done."] * 3, "incorrect"),
        "no-move": ([], "incorrect"),
    }


PLAYED = {
    "right": (RIGHT_MOVES, 1, 2, 1),
    "an error besides": ([[_call("touch", name="b")], [_call("kind", name=3)], *RIGHT_MOVES[1:]], 1, 3, 1),
    "too early": ([*RIGHT_MOVES[:2], [_call("sort", name="b")], *RIGHT_MOVES[2:]], 1, 3, 0),
    "not ended": (RIGHT_MOVES[:-1], 0, 2, 1),
    "another file": ([[_call("touch", name="c")], *RIGHT_MOVES[1:]], 0, 2, 1),
    "private": ([[_call("_load_scenario", scenario={"names": ["z", "b"]})], *RIGHT_MOVES[1:]], 0, 2, 1),
    "code": ([[_call("touch", name="b"), _call("exit()#", x=1)], *RIGHT_MOVES[1:]], 1, 3, 1),
    "code in a name": ([[_call("touch", **{"name='b') or exit(": 1})], *RIGHT_MOVES[1:]], 0, 2, 1),
    "the call as a text": (["touch('b')", *RIGHT_MOVES[1:]], 0, 0, 1),
    "no list": ("touch", 0, 0, 1),
    "no calls": ([[{"tool": "touch"}]], 0, 0, 1),
    "without end": ([[_call("kind", name=3)]] * 30, 0, 21, 1),
}


def test_calls_are_made_again_and_never_run_as_code(bfcl, tmp_path) -> None:
    draft = bfcl.draft("multi_turn_miss_func")
    (task,) = draft.splits["test"]
    found = told(
        draft,
        tmp_path,
        *(f"it.verify({task!r}, {{'moves': {moves!r}}})" for moves, *_ in PLAYED.values()),
        library=FILES,
    )
    got = dict(zip(PLAYED, [(one["correct"], one["calls"], one["refrained"]) for one in found], strict=True))
    assert got == {name: tuple(wanted) for name, (_, *wanted) in PLAYED.items()}


def test_a_session_asks_again_offers_the_missing_function_and_ends(bfcl, tmp_path) -> None:
    draft = bfcl.draft("multi_turn_miss_func")
    (task,) = draft.splits["test"]
    asked = {"id": "1", "function": {"name": "touch", "arguments": '{"name": "b"}'}}
    start, answer, second, third, _, last, state = told(
        draft,
        tmp_path,
        f"(s := it.Session()) and s.reset({task!r}, 0)",
        f"s.step({{'tool_calls': [{asked!r}]}})",
        "s.step({'content': 'Done.'})",
        "s.step({'content': 'I cannot sort.'})",
        "s.step({'tool_calls': [{'function': {'name': 'sort', 'arguments': '{\"name\": \"b\"}'}}]})",
        "s.step({'content': 'Done.'})",
        "s.state()",
        library=FILES,
    )
    assert [tool["function"]["name"] for tool in start["tools"]] == ["touch", "kind"]
    assert answer == {"messages": [{"role": "tool", "tool_call_id": "1", "content": "None"}], "done": False}
    assert second == {"messages": _user("Sort it."), "done": False}
    assert '"sort"' in third["messages"][0]["content"]
    assert "What about now?" in third["messages"][0]["content"]
    assert last == {"messages": [], "done": True}
    assert state["moves"][0] == [_call("touch", name="b")]


def test_only_the_category_of_long_context_has_long_answers_and_no_reward_for_refraining(bfcl, tmp_path) -> None:
    long, base = (bfcl.draft(f"multi_turn_{name}") for name in ("long_context", "base"))
    assert list(long.rewards) == ["correct", "turns", "calls"]
    assert [told(draft, tmp_path, "it.LONG", library=FILES)[0] for draft in (long, base)] == [True, False]
