"""BFCL, the Berkeley function-calling leaderboard: its categories in Python, judged by its own checkers."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from hub_client.imports.draft import Draft, ImportRefusedError
from hub_client.imports.source import LibrarySource, code_of
from hub_client.imports.sources import bfcl_turns
from schemas.rows import json_lines

_LINES = {
    "simple_python": "one function is offered, one call is right",
    "multiple": "several functions are offered, one call is right",
    "parallel": "one function is offered, several calls are right",
    "parallel_multiple": "several functions are offered, several calls are right",
}
_KINDS = _LINES | {f"live_{name.removesuffix('_python')}": f"{line}; asked by users" for name, line in _LINES.items()}
_NO_CALL = "one constant answer is right for all its tasks"
_REFUSED = {
    "irrelevance": _NO_CALL,
    "live_irrelevance": _NO_CALL,
    "live_relevance": "any call is right for all its tasks",
    "simple_java": "its answers are Java, which the library reads with a parser of its own build",
    "simple_javascript": "its answers are JavaScript, which the library reads with a parser of its own build",
    "memory": "it needs a model's memory over several conversations",
    "web_search": "it needs the web, and a box has no network",
    "format_sensitivity": "it asks other categories again in other formats",
}
_ASK = (
    "You may call these functions, given as JSON:\n{functions}\n\nAnswer with the calls alone, in Python's syntax and "
    "with every argument named: [name(argument=value), other_name(argument=value)]"
)
_TESTS_ALONE = "All tasks are for test: BFCL is an evaluation and has no training split."
_SINGLE = "bfcl_eval.eval_checker.ast_eval"
_TURNS = "bfcl_eval.eval_checker.multi_turn_eval"
_BARE = ("bfcl_eval", "bfcl_eval.eval_checker", "bfcl_eval.constants")


class Bfcl(LibrarySource):
    """The categories of the newest ``bfcl-eval``."""

    name = "bfcl"
    distribution = "bfcl-eval"
    refusals: ClassVar = _REFUSED

    def offers(self) -> Mapping[str, str]:
        return {**_KINDS, **bfcl_turns.CATEGORIES, **dict.fromkeys(_REFUSED, "")}

    def make(self, item: str) -> Draft:
        if item in _REFUSED:
            raise ImportRefusedError(_REFUSED[item])
        return self._turns(item) if item in bfcl_turns.CATEGORIES else self._single(item)

    def _single(self, item: str) -> Draft:
        return Draft(
            self.provenance(item),
            summary=f"BFCL {item.replace('_', ' ')}: {_KINDS[item]}",
            code=code_of("bfcl", {"CATEGORY": item, "BARE": repr((*_BARE, _SINGLE))}),
            rewards={
                "correct": {"description": "every call is right, and no other was made", "threshold": 1.0},
                "readable": {"description": "the response is a list of calls", "role": "metric"},
            },
            needs=self.library.needs_nothing_else(),
            splits={"test": list(self._tasks(item))},
            one_right_answer=True,
            tags=["function-calling", "tool-use", "single-turn"],
            notes=[_TESTS_ALONE],
        )

    def _turns(self, item: str) -> Draft:
        made = list(bfcl_turns.tasks(self._rows, item))
        words = {"CATEGORY": item, "BARE": repr((*_BARE, _TURNS)), "LONG": repr("long" in item)}
        words["REFRAINING"] = repr("miss" in item)
        return Draft(
            self.provenance(item),
            summary=f"BFCL {item.replace('_', ' ')}: {bfcl_turns.CATEGORIES[item]}",
            code=code_of("bfcl_turns", words),
            rewards=bfcl_turns.rewards(item),
            needs=self.library.needs_alone("mpmath"),
            splits={"test": made},
            session=True,
            cases=list(bfcl_turns.cases(made)),
            tags=["function-calling", "tool-use", "multi-turn", "agent"],
            notes=[*bfcl_turns.NOTES, _TESTS_ALONE],
        )

    def _rows(self, path: str) -> Iterator[dict[str, Any]]:
        text = self.library.files[f"bfcl_eval/data/{path}"].decode()
        return (json.loads(line) for line in json_lines(text))

    def _tasks(self, item: str) -> Iterator[dict[str, Any]]:
        file = f"BFCL_v4_{item}.json"
        right = {row["id"]: row["ground_truth"] for row in self._rows(f"possible_answer/{file}")}
        for row in self._rows(file):
            asked = [message for turn in row["question"] for message in turn]
            if row["id"] in right and asked:
                shown = _ASK.format(functions=json.dumps(row["function"], ensure_ascii=False))
                first = {"role": "system", "content": shown}
                yield {
                    "id": row["id"],
                    "prompt": [first, *asked],
                    "answer": f"[{', '.join(_call(call, row['function']) for call in right[row['id']])}]",
                    "info": {"functions": row["function"], "possible": right[row["id"]]},
                }


def _call(possible: Mapping[str, Mapping[str, Sequence[Any]]], functions: Sequence[Mapping[str, Any]]) -> str:
    """A right call: the first possible value of each argument. Optional arguments are left out."""
    ((name, arguments),) = possible.items()
    required = {
        key for function in functions if function["name"] == name for key in function["parameters"].get("required", [])
    }
    given = []
    for key, values in arguments.items():
        stated = [value for value in values if value != ""]
        if stated and (key in required or "" not in values):
            given.append(f"{key}={_first(stated)!r}")
    return f"{name}({', '.join(given)})"


def _first(values: Any) -> Any:
    """The first possible value; inside a dictionary every value is again a list of possible ones, or plain."""
    if not isinstance(values, list) or not values:
        return values
    value = values[0]
    if isinstance(value, Mapping):
        return {key: _first(inner) for key, inner in value.items() if not (isinstance(inner, list) and "" in inner)}
    if isinstance(value, list):
        return [_first([item]) if isinstance(item, Mapping) else item for item in value]
    return value
