"""The verdict: what was opened, what was answered, and whether the quotes are sentences that show it."""

from lecture_cited_search.model import Fact, World
from lecture_cited_search.reading import stated_value
from lecture_cited_search.session import MOST_CALLS, problem_of
from lecture_cited_search.world import make_world


def verify(task: dict, state: dict) -> dict:
    """``correct``, ``supported`` and the gate ``genuine``; ``invented`` and ``calls`` are counted."""
    place = task["info"]
    world = make_world(place["split"], place["seed"], place["index"])
    calls = _good_calls(state)
    given = calls[-1]["arguments"] if calls and calls[-1]["name"] == "answer" else None
    opened = {call["arguments"]["id"] for call in calls if call["name"] == "open"} & set(world.articles)
    has_searched = any(call["name"] == "search" for call in calls)
    correct = given is not None and _is_right(given, world, opened, has_searched)
    quotes = [_plain(quote) for quote in given.get("quotes", [])] if given else []
    return {
        "correct": float(correct),
        "supported": float(correct and _is_shown(quotes, world, opened)),
        "genuine": float(not quotes or _sentences(world, opened).issuperset(quotes)),
        "invented": float(given is not None and given["found"] and not correct),
        "calls": float(len(calls)),
    }


def _is_right(given: dict, world: World, opened: set[str], has_searched: bool) -> bool:
    """The right value from articles that were read; or nothing where nothing tells, after looking for it."""
    stated = stated_value(world, given.get("answer", ""))
    if not given["found"]:
        has_looked = has_searched and opened.issuperset(world.about)
        return not world.needed and has_looked and not given.get("answer", "").strip()
    if not world.needed or stated != world.value:
        return False
    return all(not opened.isdisjoint(world.where(fact)) for fact in world.needed)


def _is_shown(quotes: list[str], world: World, opened: set[str]) -> bool:
    """Each fact that is needed is told by a quote from an article that was read, beside at most one other quote."""
    if not world.needed:
        return not quotes
    facts = _facts(set(quotes), world, opened)
    beside = [quote for quote in set(quotes) if not _facts({quote}, world, opened) & set(world.needed)]
    return facts.issuperset(world.needed) and len(beside) <= 1


def _facts(quotes: set[str], world: World, opened: set[str]) -> set[Fact]:
    """What the quoted sentences tell of what can be asked for: subject, relation and value."""
    said = (told for ident in opened for told in world.articles[ident].said)
    return {told.fact for told in said if told.fact and _plain(told.text) in quotes}


def _sentences(world: World, opened: set[str]) -> set[str]:
    return {_plain(sentence) for ident in opened for sentence in world.articles[ident].sentences}


def _plain(text: str) -> str:
    """A sentence without what copying changes: spaces, quotation marks around it, kind of marks, the full stop."""
    text = " ".join(text.replace("“", '"').replace("”", '"').replace("’", "'").split())
    for mark in "\"'":
        whole = text.removesuffix(".") if text.endswith(f"{mark}.") else text
        if len(whole) > 1 and whole[0] == whole[-1] == mark:
            text = whole[1:-1]
    return text.removesuffix(".")


def _good_calls(state: object) -> list[dict]:
    """The calls of a state, as far as a session can have made them: at most 16, nothing after an answer."""
    made = state.get("calls") if isinstance(state, dict) else None
    calls: list[dict] = []
    for call in made if isinstance(made, list) and len(made) <= MOST_CALLS else []:
        name, arguments = (call.get("name"), call.get("arguments")) if isinstance(call, dict) else (None, None)
        if calls and calls[-1]["name"] == "answer":
            return []
        if isinstance(name, str) and problem_of(name, arguments) is None:
            calls.append({"name": name, "arguments": arguments})
    return calls
