"""The verdict: the calls are looked up in a mailbox generated again, so a forged state gains nothing."""

import re

from lecture_mail_assistant.session import MOST_CALLS, problem_of
from lecture_mail_assistant.values import stated_value
from lecture_mail_assistant.words import all_firms
from lecture_mail_assistant.world import World, make_world

MOST_OTHER_SOURCES = 1


def verify(task: dict, state: dict) -> dict:
    """``correct``, ``sources`` and ``invention`` of an episode, and how many ``calls`` it took."""
    place = task["info"]
    world = make_world(place["split"], place["seed"], place["index"])
    calls = _good_calls(state)
    given = calls[-1]["arguments"] if calls and calls[-1]["name"] == "answer" else None
    read = {call["arguments"]["id"].strip().lower() for call in calls if call["name"] == "read"} & set(
        world.mailbox.mails
    )
    correct = given is not None and _is_right(given, world, task["prompt"], read)
    cited = {_id_of(source) for source in given.get("sources", [])} if given else set()
    shown = all(not cited.isdisjoint(mails) for mails in world.evidence)
    few = len(cited) <= len(world.evidence) + MOST_OTHER_SOURCES
    cites_well = shown and few and cited <= read if world.is_told else not cited
    return {
        "correct": float(correct),
        "sources": float(correct and cites_well),
        "invention": -1.0 if given is not None and given["found"] and not correct else 0.0,
        "calls": float(min(len(calls), MOST_CALLS)),
    }


def _is_right(given: dict, world: World, prompt: str, read: set[str]) -> bool:
    """The right value and no other, from mails that were read; or nothing where there is nothing."""
    known = firms_in(world) if world.question.kind == "firm" else [person.name for person in world.people]
    stated = stated_value(world.question.kind, given.get("answer", ""), known, prompt)
    if not world.is_told or not given["found"]:
        return given["found"] == world.is_told and stated is None
    return stated == world.question.value and not any(read.isdisjoint(mails) for mails in world.evidence)


def _id_of(source: str) -> str:
    """A mail's id, also in brackets or behind "id:"; any other text is the id of no mail."""
    found = re.fullmatch(r"\W*(?:id\W*)?(m\d{3})\W*", source[:40].lower())
    return found[1] if found else source


def firms_in(world: World) -> list[str]:
    """Every firm that the mailbox names."""
    texts = " ".join(mail.body for mail in world.mailbox.mails.values())
    return sorted({name for name in all_firms() if name in texts})


def _good_calls(state: object) -> list[dict]:
    """The calls of a state, as far as a session can have made them: at most 24, nothing after an answer."""
    made = state.get("calls") if isinstance(state, dict) else None
    calls: list[dict] = []
    for call in made[:MOST_CALLS] if isinstance(made, list) else []:
        name, arguments = (call.get("name"), call.get("arguments")) if isinstance(call, dict) else (None, None)
        if calls and calls[-1]["name"] == "answer":
            return []
        if problem_of(name, arguments) is None:
            calls.append({"name": name, "arguments": arguments})
    return calls
