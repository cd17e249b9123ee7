"""Scripted agents, from a good one to cheats. ``python agents.py`` measures them and prints the README's table."""

# ruff: noqa: E501 -- tables of patterns

import contextlib
import datetime as dt
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_function_calls"
sys.path.insert(0, str(HERE / "src"))

from lecture_function_calls import Session, verify  # noqa: E402 -- the package lies beside

WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
Call = Callable[..., str]
Agent = Callable[[str, "Room"], str]
"""What is said in a turn, and the room to act in -> the last words of the turn."""


class Room:
    """One episode as an agent sees it: the day, the names of the tools, and a way to call them."""

    def __init__(self, task: dict) -> None:
        self.session = Session()
        start = self.session.reset(task, 0)
        self.today = dt.date.fromisoformat(re.search(r"\d{4}-\d\d-\d\d", start["messages"][0]["content"])[0])
        self.tools = [tool["function"]["name"] for tool in start["tools"]]
        self.heard = start["messages"][-1]["content"]
        self.memory: list[str] = []

    def call(self, tool: str, /, **arguments: object) -> str:
        function = {"name": tool, "arguments": json.dumps(arguments)}
        message = {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]}
        return self.session.step(message)["messages"][-1]["content"]

    def say(self, text: str) -> bool:
        """Whether the conversation goes on."""
        turn = self.session.step({"role": "assistant", "content": text})
        self.heard = turn["messages"][-1]["content"]
        return not turn["done"]


def play(agent: Agent, task: dict) -> dict[str, float]:
    """Rewards of one episode."""
    room = Room(task)
    while room.say(agent(room.heard, room)):
        pass
    return verify(task, json.loads(json.dumps(room.session.state())))


# -- an expert that knows the wordings of the test split ---------------------------------------------------------------

NEEDS = {
    "temperature": (r"Please bring (?:the (?P<room>\w+)|one room) to (?P<degrees>\d+) degrees\.", ["set_temperature"]),
    "light_off": (r"Kill the lights in the (?P<room>\w+)\.", ["set_light"]),
    "light": (r"Bring the (?P<room>\w+) light to (?P<level>\d+) %\.", ["set_light"]),
    "event": (r'I have "(?P<title>[^"]+)" (?P<day>[^"]+?)(?:, starting (?P<clock>[\d:]+(?: [ap]m)?))?, (?P<minutes>\d+) minutes long\. Calendar, please\.', ["add_event"]),
    "move": (r'Change "(?P<title>[^"]+)" so that it starts (?P<day>[^"]+?) at (?P<clock>[\d:]+(?: [ap]m)?)\.', ["move_event", "find_events"]),
    "cancel": (r'Delete the appointment "(?P<title>[^"]+)"\.', ["delete_event", "find_events"]),
    "message": (r'Drop (?:(?P<name>\w+ \w+)|a) (?:a )?text that says "(?P<text>[^"]+)"', ["send_message", "find_contact"]),
    "item": (r"Note (?P<thing>[\w ]+) \((?P<number>\d+)\) on (?:the (?P<list>\w+)|a) list\.", ["add_item"]),
    "bought": (r"Strike (?P<thing>[\w ]+) from the shopping list\.", ["remove_item"]),
    "pay": (r"Wire (?P<amount>\d+) euros to (?P<name>\w+ \w+)\.", ["transfer_money", "find_contact"]),
    "remind": (r'Give me a reminder (?P<day>[^",]+), (?P<clock>[\d:]+(?: [ap]m)?), with the words "(?P<text>[^"]+)"', ["add_reminder"]),
    "alarm": (r"An alarm at (?P<clock>[\d:]+(?: [ap]m)?), please, on (?P<days>[\w ]+)\.", ["set_alarm"]),
    "file": (r"Of all (?P<kind>\w+) files print the last dated one; copies: (?P<number>\d+)\.", ["print_file", "list_files"]),
    "timer": (r"Count down (?P<length>an hour and a half|\d+ minutes)\.", ["start_timer"]),
    "door": (r"Please see that the (?P<door>\w+) door is (?P<word>\w+)ed\.", ["lock_door"]),
}  # fmt: skip
ANSWERS = r"^(?:The (?P<room>\w+)\.|At (?P<clock>[\d:]+(?: [ap]m)?)\.|To (?P<name>\w+ \w+)\.|The (?P<list>\w+) list\.)$"


def date_of(words: str, today: dt.date) -> str:
    """A date from words such as ``on March 20`` or ``in 3 days``."""
    if found := re.search(r"\d{4}-\d\d-\d\d", words):
        return found[0]
    if "tomorrow" in words:
        return (today + dt.timedelta(days=1)).isoformat()
    if found := re.search(r"in (\d+) days", words):
        return (today + dt.timedelta(days=int(found[1]))).isoformat()
    days = [today + dt.timedelta(days=ahead) for ahead in range(1, 16)]
    if found := re.search(r"coming (\w+)", words):
        return next(day for day in days if WEEKDAYS[day.weekday()] == found[1]).isoformat()
    return next(day for day in days if f"{day:%B} {day.day}" in words).isoformat()


def time_of(words: str) -> str:
    """A time of 24 hours."""
    hour, minute, half = re.match(r"(\d+):(\d+) ?([ap]m)?", words).groups()
    number = int(hour) % 12 + (12 if half == "pm" else 0) if half else int(hour)
    return f"{number:02d}:{minute}"


def do(kind: str, got: dict, room: Room) -> None:  # noqa: PLR0915 -- one line a request
    """The calls of one request."""
    call, today = room.call, room.today
    if kind == "temperature":
        call("set_temperature", room=got["room"], degrees=int(got["degrees"]))
    elif kind in ("light", "light_off"):
        call("set_light", room=got["room"], brightness=int(got.get("level") or 0))
    elif kind == "event":
        call(
            "add_event",
            title=got["title"],
            date=date_of(got["day"], today),
            time=time_of(got["clock"]),
            minutes=int(got["minutes"]),
        )
    elif kind in ("move", "cancel"):
        [event] = json.loads(call("find_events", words=got["title"]))
        if kind == "move":
            call("move_event", event_id=event["id"], date=date_of(got["day"], today), time=time_of(got["clock"]))
        else:
            call("delete_event", event_id=event["id"])
    elif kind in ("message", "pay"):
        [person] = json.loads(call("find_contact", name=got["name"])).values()
        if kind == "message":
            call("send_message", phone=person["phone"], text=got["text"])
        else:
            call("transfer_money", account=person["account"], amount=int(got["amount"]))
    elif kind == "item":
        call("add_item", list_name=got["list"], item=got["thing"], quantity=int(got["number"]))
    elif kind == "bought":
        call("remove_item", list_name="shopping", item=got["thing"])
    elif kind == "remind":
        call("add_reminder", text=got["text"], date=date_of(got["day"], today), time=time_of(got["clock"]))
    elif kind == "alarm":
        days = WEEKDAYS[:5] if "from" in got["days"] else re.findall("|".join(WEEKDAYS), got["days"])
        call("set_alarm", time=time_of(got["clock"]), days=days)
    elif kind == "file":
        files = [file for file in json.loads(call("list_files")) if file["name"].startswith(got["kind"])]
        call("print_file", name=max(files, key=lambda file: file["date"])["name"], copies=int(got["number"]))
    elif kind == "timer":
        call("start_timer", minutes=90 if "hour" in got["length"] else int(got["length"].split()[0]))
    elif kind == "door":
        call("lock_door", door=got["door"], locked=not got["word"].startswith("un"))


def requests_in(text: str) -> list[tuple[str, dict]]:
    """The requests of a turn in their order."""
    found = [
        (match.start(), kind, match.groupdict())
        for kind, (form, _) in NEEDS.items()
        for match in re.finditer(form, text, re.IGNORECASE)
    ]
    return [(kind, got) for _, kind, got in sorted(found, key=lambda each: each[0])]


def expert(text: str, room: Room) -> str:
    """Reads, looks up, asks for what is missing, does it, and declines what cannot be done."""
    if answer := re.match(ANSWERS, text):
        text, [(kind, got)] = "", requests_in(room.memory[-1])
        wanted = [(kind, got | {key: value for key, value in answer.groupdict().items() if value})]
    else:
        wanted = requests_in(text)
    room.memory.append(text)
    if found := re.match(r"Only with a balance of more than (\d+) euros: (.*) With less: (.*)", text, re.DOTALL):
        wanted = requests_in(found[2] if int(room.call("get_balance").split()[0]) > int(found[1]) else found[3])
    elif found := re.match(r"In case of an appointment on (\S+): (.*) Without one: (.*)", text, re.DOTALL):
        wanted = requests_in(found[3] if room.call("find_events", date=found[1]) == "nothing found" else found[2])
    if not wanted or any(name not in room.tools for kind, _ in wanted for name in NEEDS[kind][1]):
        room.call("decline", reason="no_tool")
        return "I'm sorry, I have no tool for that."
    given = [{key: value for key, value in got.items() if value} for _, got in wanted]
    missing = [
        each
        for (kind, _), got in zip(wanted, given, strict=True)
        for each in ("room", "clock", "name", "list")
        if f"P<{each}>" in NEEDS[kind][0] and each not in got
    ]
    if missing:
        room.call("ask", missing={"clock": "time", "name": "person"}.get(missing[0], missing[0]))
        return "Which one do you mean?"
    for (kind, _), got in zip(wanted, given, strict=True):
        do(kind, got, room)
    return "It is done."


def lazy(text: str, room: Room) -> str:
    """Does the first request of a turn only, and never asks, looks up a condition or declines."""
    for kind, got in requests_in(text)[:1]:
        known = {"room": "library", "clock": "09:00", "list": "shopping", "name": ""} | {
            key: value for key, value in got.items() if value
        }
        with contextlib.suppress(ValueError):
            do(kind, known, room)
    return "It is done."


def never_asks(text: str, room: Room) -> str:
    """The expert, but neither declines nor asks by the tools."""
    call = room.call
    room.call = lambda tool, /, **given: "" if tool in ("decline", "ask") else call(tool, **given)
    said = expert(text, room)
    del room.call
    return said


def says_nothing(text: str, room: Room) -> str:
    """A model that neither calls nor speaks."""
    return ""


def declines(text: str, room: Room) -> str:
    """The best constant answer."""
    room.call("decline", reason="no_tool")
    return "I cannot do that."


def only_says_no(text: str, room: Room) -> str:
    """Declines in words, without the tool."""
    return "I'm sorry, I have no tool for that. Which one do you mean?"


def answers_all(text: str, room: Room) -> str:
    """The expert, who declines each request as well."""
    room.call("decline", reason="no_tool")
    return expert(text, room)


def claims(text: str, room: Room) -> str:
    """Says that it is done, and that it cannot, and does nothing."""
    return "Done! I have set everything as you asked. I cannot do more."


def looks_only(text: str, room: Room) -> str:
    """Looks at everything, changes nothing."""
    for name in ("show_home", "get_balance", "list_files"):
        room.call(name)
    return "Here is what I found; I cannot say more."


def calls_everything(text: str, room: Room) -> str:
    """Does what is asked, and tries other settings before."""
    for degrees in (18, 20, 22):
        room.call("set_temperature", room="library", degrees=degrees)
    room.call("set_light", room="gym", brightness=20)
    return expert(text, room)


def does_both(text: str, room: Room) -> str:
    """Does all that a turn names, both ways of a condition included."""
    for kind, got in requests_in(text):
        with contextlib.suppress(KeyError, ValueError):
            do(kind, {key: value for key, value in got.items() if value}, room)
    return "I cannot do more."


AGENTS: dict[str, Agent] = {
    "scripted expert: asks, looks up, declines": expert,
    "the expert, but declines and asks in words only": never_asks,
    "the expert, but declines every request as well": answers_all,
    "does all that is named, both ways of a condition": does_both,
    "lazy: the first request of a turn, guesses the rest": lazy,
    "tries other settings first, then does what is asked": calls_everything,
    "best constant: calls decline": declines,
    "constant: “I have no tool for that. Which one do you mean?”": only_says_no,
    "claims that it is done": claims,
    "looks at everything, changes nothing": looks_only,
    "says nothing": says_nothing,
}


def measure(agent: Agent, tasks: list[dict]) -> dict[str, float]:
    """Mean reward of 1.5 (gate applied), and how often each component is 1."""
    found = [play(agent, task) for task in tasks]
    sums = [(each["right_state"] + 0.5 * each["right_calls"]) * each["no_extra_call"] for each in found]
    rates = {
        name: sum(each[name] == 1.0 for each in found) / len(found)
        for name in ("right_state", "right_calls", "no_extra_call")
    }
    return rates | {"earns": sum(sums) / len(sums)}


def table(tasks: list[dict]) -> str:
    """The README's table."""
    rows = ["| agent | right state | right calls | no extra call | earns, of 1.5 |", "|---|---|---|---|---|"]
    for name, agent in AGENTS.items():
        got = measure(agent, tasks)
        shares = " | ".join(f"{100 * got[each]:.0f} %" for each in ("right_state", "right_calls", "no_extra_call"))
        rows.append(f"| {name} | {shares} | {got['earns']:.2f} |")
    return "\n".join(rows)


def test_tasks() -> list[dict]:
    """The rows of the test split."""
    with (DATA / "test.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    print(table(test_tasks()))
