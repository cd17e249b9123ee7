"""The usual shapes of rows: which columns they have, and how a row becomes a task."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_QUESTIONS = ("question", "problem", "prompt", "instruction", "query", "input", "text")
_ANSWERS = ("answer", "final_answer", "expected_answer", "solution", "output", "target", "label")
_TALKS = ("messages", "conversations", "conversation")
_KEYS = ("answerKey", "answer", "answer_idx", "label", "target")
_TESTS = ("test", "tests", "test_list")
_ASK = "\n\nGive your final answer between <answer> and </answer> tags."
_ROLES = {"human": "user", "gpt": "assistant"}
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Shape:
    """A shape of rows. ``task`` turns a row into prompt, answer and info; None where the row lacks a column."""

    line: str
    task: Callable[[Row], dict[str, Any] | None]
    reward: str
    tags: Sequence[str]
    template: str = "rows"
    response: str = "<answer>{answer}</answer>"
    one_right_answer: bool = False
    compared: bool = True
    notes: Sequence[str] = ()


def find_shape(row: Row) -> Shape | str:
    """The shape of ``row``, or a sentence that says why none fits."""
    if _first(row, _QUESTIONS) and _first(row, _TESTS):
        return _CODE
    if {"chosen", "rejected"} <= row.keys():
        return _PREFERENCE
    if "choices" in row and _first(row, _QUESTIONS) and _first(row, _KEYS):
        return _CHOICE
    if _first(row, _TALKS):
        if _first(row, _ANSWERS):
            return _CHAT
        return "its conversations have no column with the right answer, so that nothing could judge a response"
    if _first(row, _QUESTIONS) and _first(row, _ANSWERS):
        return _QUESTION
    return (
        f"its columns ({', '.join(row)}) are none of: question and answer; question, choices and answer; messages and "
        "answer; chosen and rejected; prompt and test"
    )


def _first(row: Row, names: Sequence[str]) -> str:
    return next((name for name in names if name in row), "")


def _question(row: Row) -> dict[str, Any] | None:
    prompt, answer = row.get(_first(row, _QUESTIONS)), final_answer(row.get(_first(row, _ANSWERS)))
    return {"prompt": f"{prompt}{_ASK}", "answer": answer} if prompt and answer else None


def _chat(row: Row) -> dict[str, Any] | None:
    messages, answer = _messages(row.get(_first(row, _TALKS))), final_answer(row.get(_first(row, _ANSWERS)))
    while messages and messages[-1]["role"] != "user":
        messages.pop()  # the assistant's own answer
    if not messages or not answer:
        return None
    last = {**messages[-1], "content": f"{messages[-1]['content']}{_ASK}"}
    return {"prompt": [*messages[:-1], last], "answer": answer}


def _choice(row: Row) -> dict[str, Any] | None:
    choices, labels = row["choices"], list(_LETTERS)
    if isinstance(choices, Mapping):  # as ARC has them: {"text": […], "label": […]}
        said = choices.get("label")
        choices, labels = choices.get("text"), list(said) if isinstance(said, Sequence) else []
    key, question = row.get(_first(row, _KEYS)), row.get(_first(row, _QUESTIONS))
    if not isinstance(choices, Sequence) or isinstance(choices, str) or not 1 < len(choices) <= len(labels):
        return None
    place = key if isinstance(key, int) else labels.index(key) if key in labels else -1
    if key in choices and place < 0:
        place = list(choices).index(key)
    if not question or not 0 <= place < len(choices):
        return None
    lines = [f"{letter}. {text}" for letter, text in zip(_LETTERS, choices, strict=False)]
    return {
        "prompt": "\n".join([str(question), "", *lines]) + f"{_ASK} Give the letter alone.",
        "answer": _LETTERS[place],
    }


def _preference(row: Row) -> dict[str, Any] | None:
    chosen, rejected = _last_text(row["chosen"]), _last_text(row["rejected"])
    asked = row.get(_first(row, _QUESTIONS)) or "\n".join(
        f"{message['role']}: {message['content']}" for message in (_messages(row["chosen"]) or [])[:-1]
    )
    if not chosen or not rejected or chosen == rejected:
        return None
    first = hashlib.sha256(f"{chosen}\0{rejected}".encode()).digest()[0] % 2 == 0
    a, b = (chosen, rejected) if first else (rejected, chosen)
    shown = f"Somebody asked:\n\n{asked}\n\nResponse A:\n\n{a}\n\nResponse B:\n\n{b}"
    return {"prompt": f"{shown}\n\nWhich response is better, A or B?{_ASK}", "answer": "A" if first else "B"}


def _code(row: Row) -> dict[str, Any] | None:
    prompt, tests = row.get(_first(row, _QUESTIONS)), row.get(_first(row, _TESTS))
    entry = str(row.get("entry_point") or "")
    if not prompt or not tests or not isinstance(tests, Sequence):
        return None
    lines = [str(tests)] if isinstance(tests, str) else [str(row.get("test_setup_code") or ""), *map(str, tests)]
    call = [f"check({entry})"] if entry and "def check(" in lines[0] else []
    solution = str(row.get("canonical_solution") or row.get("code") or "")
    whole = f"{prompt}{solution}" if solution and f"def {entry or ' '}" in str(prompt) else solution
    ask = "\n\nAnswer with the whole program in one fenced block of Python."
    shown = "" if entry else "\n\nIt must pass, among others:\n\n" + lines[min(1, len(lines) - 1)]
    return {"prompt": f"{prompt}{shown}{ask}", "answer": whole or None, "info": {"tests": "\n".join([*lines, *call])}}


def final_answer(value: Any) -> str:
    """The final answer of a worked solution: after ``####``, in ``\\boxed{}``, or the whole text. Empty for none."""
    text = "" if value is None else str(value).strip()
    if "####" in text:
        return text.rpartition("####")[2].strip().replace(",", "")
    boxed = re.findall(r"\\boxed\{([^{}]*)\}", text)
    return str(boxed[-1]).strip() if boxed else text


def _messages(value: Any) -> list[dict[str, Any]]:
    """Chat messages with ``role`` and ``content``; ``from`` and ``value`` are understood."""
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        return []
    roles = [str(item.get("role") or item.get("from") or "") for item in value]
    texts = [str(item.get("content") or item.get("value") or "") for item in value]
    return [{"role": _ROLES.get(role, role), "content": text} for role, text in zip(roles, texts, strict=True)]


def _last_text(value: Any) -> str:
    messages = _messages(value)
    return str(messages[-1]["content"] if messages else value if isinstance(value, str) else "").strip()


_COMPARED = (
    "`correct` compares the text between the last tags with the answer: as numbers where both are, else without case, "
    "punctuation and spaces. An answer in other words is wrong to it."
)
_QUESTION = Shape(
    "questions with answers",
    _question,
    "the answer is the same number or text",
    ["qa"],
    one_right_answer=True,
    notes=[_COMPARED],
)
_CHAT = Shape(
    "conversations with answers",
    _chat,
    "the answer is the same number or text",
    ["chat"],
    one_right_answer=True,
    notes=[_COMPARED],
)
_CHOICE = Shape(
    "questions with choices",
    _choice,
    "the letter is the right one",
    ["multiple-choice"],
    one_right_answer=True,
    notes=[_COMPARED],
)
_PREFERENCE = Shape(
    "pairs of responses, one preferred", _preference, "the letter of the preferred response", ["preference"],
    one_right_answer=True,
    notes=["A task shows both responses as A and B, in an order drawn by their texts; the preferred one is right."],
)  # fmt: skip
_CODE_NOTE = (
    "The program runs in a solution box, with the row's tests behind it. A program can cheat plain assertions, for "
    "instance with an object that equals everything: compare values in the verifier where that matters."
)
_CODE = Shape(
    "programs with tests",
    _code,
    "every test passes",
    ["code"],
    template="code",
    response="```python\n{answer}\n```",
    compared=False,
    notes=[_CODE_NOTE],
)
