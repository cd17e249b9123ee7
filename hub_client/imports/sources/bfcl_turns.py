"""BFCL's categories with several turns: tasks over simulated services, with cases from the library's own solutions."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from hub_client.imports.cases import case_of
from hub_client.imports.draft import ImportRefusedError

Row = Mapping[str, Any]
CATEGORIES = {
    "multi_turn_base": "a user with several requests to simulated services, such as files, flights and shares",
    "multi_turn_long_context": "several requests to simulated services whose answers are long",
    "multi_turn_miss_func": "several requests, one of them before the function that it needs is offered",
    "multi_turn_miss_param": "several requests, one of them without an argument that the user gives later",
}
NOTES = (
    "The state is the list of moves: lists of calls, and the texts that end a turn. The verifier plays them again.",
    "The library's checker compares the services and what they answered with its own solution, turn by turn.",
    "Calls that change nothing are free: an agent that reads everything is as right as one that reads what it needs.",
    "The library runs a model's call as Python (`eval`). Here names and arguments are handed to the service itself.",
)
_DOCUMENTS = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
}
_SCHEMA_TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": "string"}
_CASES = 24
_DONE = "Done."


def rewards(category: str) -> dict[str, dict[str, Any]]:
    """The rewards of a category, as the manifest declares them."""
    declared: dict[str, dict[str, Any]] = {
        "correct": {
            "description": "each turn left the services as it should, with the answers it needed",
            "threshold": 1.0,
        },
        "turns": {"description": "turns that came to their end", "role": "metric", "range": [0.0, 20.0]},
        "calls": {"description": "calls that were made", "role": "metric", "range": [0.0, 4000.0]},
    }
    if "miss" in category:
        declared["refrained"] = {"description": "nothing was called while something was missing", "role": "metric"}
    return declared


def tasks(read: Callable[[str], Iterator[dict[str, Any]]], category: str) -> Iterator[dict[str, Any]]:
    """The tasks of ``category``; ``read`` gives the rows of a file of the library's data."""
    file = f"BFCL_v4_{category}.json"
    right = {row["id"]: row["ground_truth"] for row in read(f"possible_answer/{file}")}
    for row in read(file):
        if row["id"] not in right or not row["question"][0]:
            continue
        functions = [
            _function(each)
            for name in row["involved_classes"]
            for each in read(f"multi_turn_func_doc/{_DOCUMENTS[name]}.json")
        ]
        held = row.get("missed_function", {})
        hidden = {name for names in held.values() for name in names}
        yield {
            "id": row["id"],
            "prompt": row["question"][0],
            "answer": _moves(right[row["id"]], functions),
            "info": {
                "id": row["id"],
                "classes": row["involved_classes"],
                "config": row["initial_config"],
                "turns": row["question"],
                "right": right[row["id"]],
                "functions": [each for each in functions if each["name"] not in hidden],
                "added": {turn: [each for each in functions if each["name"] in names] for turn, names in held.items()},
            },
        }


def cases(made: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Labelled cases: the library's solution is right; without the calls of a turn that needs some, it is wrong."""
    for task in list(made)[:_CASES]:
        moves = task["answer"]
        last = max(number for number, move in enumerate(moves) if isinstance(move, list))
        forms = {
            "own-moves": (moves, "correct"),
            "one-turn-left-out": ([*moves[:last], *moves[last + 1 :]], "incorrect"),
            "words-alone": ([move for move in moves if isinstance(move, str)], "incorrect"),
            "no-move": ([], "incorrect"),
        }
        for form, (played, label) in forms.items():
            is_same_for_all = form in ("words-alone", "no-move")
            yield case_of(task, form, label, is_same_for_all=is_same_for_all, state={"moves": played})


def _function(described: Row) -> dict[str, Any]:
    """A function as models are told of it; what it returns is not told, as in the library."""
    return {**{key: described[key] for key in ("name", "description")}, "parameters": _schema(described["parameters"])}


def _schema(part: Any) -> Any:
    """``part`` in JSON Schema's words for types."""
    if isinstance(part, list):
        return [_schema(each) for each in part]
    if not isinstance(part, Mapping):
        return part
    read = {key: _schema(value) for key, value in part.items()}
    kind = read.get("type")
    return {**read, "type": _SCHEMA_TYPES.get(kind, kind)} if isinstance(kind, str) else read


def _moves(turns: Iterable[Iterable[str]], functions: Iterable[Row]) -> list[Any]:
    """The library's solution as moves: of each turn its calls, then a word."""
    names = {function["name"]: list(function["parameters"]["properties"]) for function in functions}
    made = [[_call(text, names) for text in turn] for turn in turns]
    return [move for calls in made for move in ([calls, _DONE] if calls else [_DONE])]


def _call(text: str, names: Mapping[str, list[str]]) -> dict[str, Any]:
    """``sort('a.txt')`` as a tool and its arguments by name."""
    node = ast.parse(text.strip(), mode="eval").body
    if not isinstance(node, ast.Call):
        raise ImportRefusedError(f"its solution {text!r} is no call")
    tool = ast.unparse(node.func)
    given = dict(zip(names.get(tool, []), map(ast.literal_eval, node.args), strict=False))
    given |= {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
    return {"tool": tool, "arguments": given}
