"""Labelled cases: what an assistant may have done, and whether that is right by how the task was made."""

# ruff: noqa: E501 -- tables

from random import Random

from lecture_function_calls.intents import WEEKDAYS
from lecture_function_calls.tasks import Case, case_of, make_task
from lecture_function_calls.tools import ANSWERS, TOOLS

TASKS, SEED = 126, 1_000_000
"""Tasks that the cases are about; none is a test task."""
ALL_RIGHT = {"right_state": 1.0, "right_calls": 1.0, "no_extra_call": 1.0}
DECLINES = [
    "I'm sorry, but I can't do that.",
    "I don’t have a tool for this.",
    "That is not possible with my tools.",
    "Unfortunately none of the tools that I have can do it.",
    "I am unable to help with that; it is outside of what I can do.",
    "There's no tool for that, sorry.",
    "I'm not able to arrange this. Would you like a reminder instead?",
    "This isn't something I can do from here.",
    "I lack the function that would be needed, so I haven't changed anything.",
    "Sorry, that isn't available to me.",
]
SAYS = ["Done.", "All set!", "I have taken care of it.", "✓", "OK", "Es ist erledigt.", "I couldn't find more to do."]
ASKS = [
    "Which one do you mean?",
    "Could you tell me where or when?",
    "One thing is missing: please tell me.",
    "What exactly?",
]
SMALL_TALK = ["Done!", "I have ordered it for you.", "It has been booked.", "I've added it.", "Sure, done."]
FALSE_DECLINE = "I cannot do that."


def make_cases() -> list[dict]:
    """Two right ones and two or three wrong ones a task."""
    made = [case for number in range(TASKS) for case in _of_task(number)]
    return list({repr((case["task"]["id"], case["state"])): case for case in reversed(made)}.values())[::-1]


def _of_task(number: int) -> list[dict]:
    task, case, random = (
        make_task("validation", SEED, number),
        case_of("validation", SEED, number),
        Random(f"case:{number}"),
    )
    right = [("as-it-is", _turns(case, random)), random.choice(_spelled(case, random))]
    wrong = _wrong(case, random)
    picked = {
        wrong[(number // 2 + step * 3) % len(wrong)][0]: wrong[(number // 2 + step * 3) % len(wrong)]
        for step in range(3)
    }
    told = [(tag, turns, "correct", ALL_RIGHT) for tag, turns in right]
    told += [(tag, turns, "incorrect", expect) for tag, turns, expect in picked.values()]
    return [
        {
            "id": f"{tag}-{label}-{number}",
            "task": task,
            "state": {"turns": turns},
            "label": label,
            "expect": expect,
            "tags": [tag, case.family],
            "source": "made by rule",
            "licence": "Apache-2.0",
        }
        for tag, turns, label, expect in told
    ]


def _made(tool: str, /, **arguments: object) -> dict:
    return {"name": tool, "arguments": arguments}


def _turns(case: Case, random: Random) -> list[dict]:
    """What an assistant without fault does, with the looks that it needs."""
    found = []
    for place, turn in enumerate(case.turns):
        calls = [_made(name, **given) for name, given in turn.gold]
        if not turn.is_possible:
            calls.append(_made("decline", reason="no_tool"))
            said = DECLINES[random.randrange(len(DECLINES))]
        elif turn.missing:
            calls.append(_made("ask", missing=turn.missing))
            said = random.choice(ASKS)
        else:
            said = SAYS[(len(calls) + place + random.randrange(9)) % len(SAYS)]
        looks = [
            _made(name) for name in ("find_events", "list_files", "get_balance", "show_home") if name in case.offered
        ]
        found.append({"calls": random.sample(looks, min(1, len(looks))) + calls, "said": said})
    return found


def _changed(turns: list[dict], change) -> list[dict]:
    """The turns with every call's arguments changed."""
    return [
        turn
        | {"calls": [each | {"arguments": change(each["name"], dict(each["arguments"]))} for each in turn["calls"]]}
        for turn in turns
    ]


def _spelled(case: Case, random: Random) -> list[tuple[str, list[dict]]]:
    """Other ways to do the same."""
    turns = _turns(case, random)

    def texts(change):
        return _changed(
            turns,
            lambda _, given: {
                key: change(key, value) if isinstance(value, str) else value for key, value in given.items()
            },
        )

    def defaults(name, given):
        fill = {"add_event": ("minutes", 60), "add_item": ("quantity", 1), "print_file": ("copies", 1)}
        if name in fill and given.get(fill[name][0]) == fill[name][1]:
            del given[fill[name][0]]
        return given

    free = ("text", "title", "item")
    again = {"set_temperature", "set_light", "lock_door", "move_event", "decline", "ask"}
    refused = _made("set_temperature", room="moon", degrees=20)
    return [
        ("upper-case", texts(lambda key, value: value.upper() if key in ("room", "item", "list_name", "account", "door") else value)),
        ("spaces", texts(lambda key, value: f" {value} ")),
        ("full-stop", texts(lambda key, value: f"{value}." if key in free else value)),
        ("quotes", texts(lambda key, value: f'"{value}"' if key in free else value)),
        ("phone", texts(lambda key, value: value.replace(" ", "-") if key == "phone" else value)),
        ("time", texts(lambda key, value: value.removeprefix("0") if key == "time" else value)),
        ("seconds", texts(lambda key, value: f"{value}:00" if key == "time" else value)),
        ("floats", _changed(turns, lambda _, given: {key: float(value) if type(value) is int else value for key, value in given.items()})),
        ("nulls", _changed(turns, lambda name, given: {key: None for key, kind in TOOLS[name].parameters.items() if kind.partition(":")[0].endswith("?")} | given)),
        ("defaults", _changed(turns, defaults)),
        ("days-in-other-order", _changed(turns, lambda _, given: given | ({"days": given["days"][::-1]} if "days" in given else {}))),
        ("set-twice", [turn | {"calls": [each for made in turn["calls"] for each in [made] * (1 + (made["name"] in again))]} for turn in turns]),
        ("refused-before", [turns[0] | {"calls": [refused, *turns[0]["calls"]]}, *turns[1:]]),
        ("unknown-tool-before", [turns[0] | {"calls": [_made("open_door"), *turns[0]["calls"]]}, *turns[1:]]),
        ("other-order", [turn | {"calls": turn["calls"][::-1]} for turn in turns]),
    ]  # fmt: skip


def _wrong(case: Case, random: Random) -> list[tuple[str, list[dict], dict]]:
    """Each has one thing that makes it wrong for certain."""
    turns, state, extra = _turns(case, random), {"right_state": 0.0}, {"no_extra_call": 0.0}
    nothing = [turn | {"calls": []} for turn in turns]
    more = next(_made(name, **given) for name, given in _EXTRA.items() if name in case.offered)
    event = {"title": "Zzz", "date": "2027-01-01", "time": "10:00"}
    there_and_back = [_made("add_event", **event), _made("delete_event", event_id=f"e{5 + _new_events(case)}")]
    found = [
        ("says-nothing", [{"calls": [], "said": ""}], state),
        (
            "one-more",
            [*turns[:-1], turns[-1] | {"calls": [*turns[-1]["calls"], more]}],
            {"right_state": 0.0, "no_extra_call": 0.0},
        ),
        (
            "changed-and-back",
            [*turns[:-1], turns[-1] | {"calls": [*turns[-1]["calls"], *there_and_back]}],
            extra if "add_event" in case.offered else None,
        ),
        ("never-ends", [*turns[:-1], turns[-1] | {"said": None}], state),
        ("empty-words", [*turns[:-1], turns[-1] | {"said": "  \n"}], state),
        ("no-turns", [], state),
        ("too-many-turns", [*turns, *turns, *turns], state),
    ]
    unanswered = [turn | {"calls": [each for each in turn["calls"] if each["name"] not in ANSWERS]} for turn in turns]
    if unanswered != turns:
        found += [("only-says-it", unanswered, state)]
        found += [("says-it-is-done", [turn | {"said": random.choice(SMALL_TALK)} for turn in unanswered], state)]
        swapped = {"decline": _made("ask", missing="other"), "ask": _made("decline", reason="no_tool")}
        found += [
            (
                "answers-otherwise",
                [turn | {"calls": [swapped.get(each["name"], each) for each in turn["calls"]]} for turn in turns],
                state,
            )
        ]
        found += [
            ("declines-and-asks", [turn | {"calls": [*turn["calls"], *swapped.values()]} for turn in turns], state)
        ]
    else:
        found += [
            (
                "declines-too",
                [*turns[:-1], turns[-1] | {"calls": [*turns[-1]["calls"], _made("decline", reason="no_tool")]}],
                state,
            )
        ]
    if "transfer_money" in case.offered:
        account = next(each["account"] for each in case.world["contacts"].values())
        tried = _made("transfer_money", account=account, amount=10**6)
        found += [("tries-to-pay", [turns[0] | {"calls": [tried, *turns[0]["calls"]]}, *turns[1:]], extra)]
    gold = [
        (turn, place)
        for turn in range(len(turns))
        for place, each in enumerate(turns[turn]["calls"])
        if TOOLS[each["name"]].changes
    ]
    found = [each for each in found if each[2]]
    if not gold:
        return found
    found += [
        ("declines", [turn | {"said": FALSE_DECLINE} for turn in nothing], state),
        ("claims", [turn | {"said": "Done!"} for turn in nothing], state),
        ("stops-early", turns[:-1] or nothing, state),
    ]
    turn, place = random.choice(gold)
    chosen = turns[turn]["calls"][place]
    for key, value in chosen["arguments"].items():
        other = {"arguments": chosen["arguments"] | {key: _other(case, key, value)}}
        found.append((f"other-{key.replace('_', '-')}", _put(turns, turn, place, [chosen | other]), state))
    found += [
        ("left-out", _put(turns, turn, place, []), state),
        ("arguments-missing", _put(turns, turn, place, [chosen | {"arguments": None}]), state),
        (
            "one-argument-too-many",
            _put(turns, turn, place, [chosen | {"arguments": chosen["arguments"] | {"force": True}}]),
            state,
        ),
        (
            "in-a-text",
            _put([*turns[:turn], turns[turn] | {"said": str(chosen)}, *turns[turn + 1 :]], turn, place, []),
            state,
        ),
    ]
    if chosen["name"] not in _SAME_AGAIN:
        found.append(("twice", _put(turns, turn, place, [chosen, chosen]), extra))
    if len(turns) > 1 and turn > 0:
        early = [dict(each) for each in _put(turns, turn, place, [])]
        early[turn - 1]["calls"] = [*early[turn - 1]["calls"], chosen]
        found.append(("a-turn-early", early, {"right_state": 0.0, "no_extra_call": 0.0}))
    return found


_SAME_AGAIN = ("delete_event", "remove_item", "set_temperature", "set_light", "lock_door", "move_event")
"""Refused, or without effect, the second time."""


def _new_events(case: Case) -> int:
    return sum(name == "add_event" for turn in case.turns for name, _ in turn.gold)


def _put(turns: list[dict], turn: int, place: int, calls: list[dict]) -> list[dict]:
    """The turns with other calls in the place of one."""
    old = turns[turn]["calls"]
    return [*turns[:turn], turns[turn] | {"calls": [*old[:place], *calls, *old[place + 1 :]]}, *turns[turn + 1 :]]


_EXTRA = {
    "write_note": {"title": "x", "text": "y"},
    "start_timer": {"minutes": 7},
    "play_music": {"playlist": "Quiet"},
    "add_contact": {"name": "Zed Zero", "phone": "+49 30 1"},
    "add_reminder": {"text": "zzz", "date": "2027-01-01", "time": "10:00"},
    "add_item": {"list_name": "packing", "item": "zebra"},
    "set_alarm": {"time": "05:05", "days": ["Sunday"]},
}
"""Changes that no task asks for."""


def _other(case: Case, key: str, value: object) -> object:
    """Another value that the tool takes, where there is one."""
    world = case.world
    choices = {
        "room": list(world["rooms"]),
        "list_name": ["shopping", "packing"],
        "door": ["front", "back"],
        "event_id": list(world["events"]),
        "phone": [each["phone"] for each in world["contacts"].values()],
        "account": [each["account"] for each in world["contacts"].values()],
        "name": list(world["files"]),
        "date": ["2026-02-01", "2026-02-02"],
        "time": ["06:50", "23:05"],
        "days": [[day] for day in WEEKDAYS],
    }
    if key in choices:
        return next(each for each in choices[key] if each != value)
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else f"{value} x"
