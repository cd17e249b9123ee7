"""The verdict: the calls are played again in a household made anew, and compared with what was asked, turn by turn."""

import copy
import inspect
import re
from collections import Counter

from lecture_function_calls.household import Household, plain, snapshot
from lecture_function_calls.session import MOST_CALLS, MOST_TEXT
from lecture_function_calls.tasks import Turn, case_of
from lecture_function_calls.tools import ANSWERS, TOOLS, AttemptError, ToolError, call


def verify(task: dict, state: dict) -> dict:
    """``right_state``, ``right_calls`` and the gate ``no_extra_call``; ``calls`` and ``errors`` are counted."""
    place = task["info"]
    case = case_of(place["split"], place["seed"], place["index"])
    played = _turns_of(state, len(case.turns))
    world, wanted = copy.deepcopy(case.world), copy.deepcopy(case.world)
    is_right, matched, made, needed, errors = bool(played), 0, 0, 0, 0
    for turn, (calls, said) in zip(case.turns, played + [([], None)] * (len(case.turns) - len(played)), strict=True):
        done, answers, failed = _play(world, calls, {*case.offered, *ANSWERS})
        for name, given in turn.gold:
            call(wanted, name, given)
        gold = Counter(_canonical(name, given) for name, given in turn.gold)
        matched += (gold & Counter(done)).total()
        needed, made, errors = needed + gold.total(), made + len(done), errors + failed
        is_right = is_right and snapshot(world) == snapshot(wanted) and _is_answered(turn, answers, said)
    extra = made - matched
    right = matched / max(needed, matched + extra, 1) if needed else float(is_right)
    return {
        "right_state": float(is_right),
        "right_calls": right,
        "no_extra_call": float(extra == 0),
        "calls": float(min(MOST_CALLS, sum(len(calls) for calls, _ in played))),
        "errors": float(min(MOST_CALLS, errors)),
    }


def _turns_of(state: object, most: int) -> list[tuple[list[dict], str | None]]:
    """Calls and last words of each turn, as far as a session can have left them; nothing for any other state."""
    turns = state.get("turns") if isinstance(state, dict) else None
    if not isinstance(turns, list) or not 0 < len(turns) <= most:
        return []
    found = []
    for turn in turns:
        calls, said = (turn.get("calls"), turn.get("said")) if isinstance(turn, dict) else (None, None)
        if not isinstance(calls, list) or not (said is None or isinstance(said, str)):
            return []
        found.append((calls, said[:MOST_TEXT] if said is not None else None))
    is_short = sum(len(calls) for calls, _ in found) <= MOST_CALLS
    is_in_order = all(said is not None for _, said in found[:-1])
    return found if is_short and is_in_order else []


def _play(world: Household, calls: list, offered: set[str]) -> tuple[list[str], set[str], int]:
    """The changes that were made or, with money, tried; what was answered by a tool; how many calls were refused."""
    done, answers, refused = [], set(), 0
    for each in calls:
        name, arguments = (each.get("name"), each.get("arguments")) if isinstance(each, dict) else (None, None)
        before = copy.deepcopy(world)
        try:
            if not isinstance(name, str) or name not in offered:
                raise ToolError("no such tool")
            call(world, name, arguments)
        except ToolError as error:
            refused += 1
            if isinstance(error, AttemptError):
                done.append(f"tried: {_canonical(name, arguments)}")
            continue
        if name in ANSWERS:
            answers.add(_canonical(name, arguments))
        elif TOOLS[name].changes and world != before:  # to set again what is set already does no harm
            done.append(_canonical(name, arguments))
    return done, answers, refused


def _canonical(name: str, arguments: dict) -> str:
    """A call as it is compared: other spellings of the same arguments, and defaults, make no difference."""
    defaults = {
        key: each.default
        for key, each in inspect.signature(TOOLS[name].act).parameters.items()
        if each.default is not inspect.Parameter.empty
    }
    given = defaults | {key: value for key, value in arguments.items() if value is not None}
    return repr((name, sorted((key, _value(key, value)) for key, value in given.items())))


def _value(key: str, value: object) -> object:
    if isinstance(value, list):
        return sorted({plain(each) for each in value})
    if isinstance(value, str):
        text = re.sub(r"[^\d+]", "", value) if key == "phone" else plain(value)
        text = text.removesuffix(":00") if key == "time" and text.count(":") == 2 else text
        return text.zfill(5) if key == "time" else text
    return int(value) if isinstance(value, float) else value


def _is_answered(turn: Turn, answers: set[str], said: str | None) -> bool:
    """Whether the turn ended with words, and declined or asked back by the tool exactly where that is right."""
    wanted = set() if turn.is_possible else {_canonical("decline", {"reason": "no_tool"})}
    if turn.missing:
        wanted.add(_canonical("ask", {"missing": turn.missing}))
    return said is not None and bool(said.strip()) and answers == wanted
