"""The tools: what a model is told of them, and what they do. A call that cannot be done is refused with a reason."""

# ruff: noqa: E501 -- tables

import datetime as dt
import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from lecture_function_calls.household import CURRENCIES, WEEKDAYS, Household, plain

LONGEST = 300
"""Characters of a text that a tool takes."""


REASONS = "no_tool not_found not_allowed other".split()
MISSING = "room date time person list amount text other".split()


class ToolError(Exception):
    """A call cannot be done. The message is for the model."""


class AttemptError(ToolError):
    """A payment that was tried and refused. It counts as a change that was made."""


@dataclass(frozen=True)
class Tool:
    """A tool: what a model is told, and what it does."""

    description: str
    parameters: dict[str, str]
    """Name -> kind and description; a kind that ends with ``?`` may be left out."""
    act: Callable[..., str]
    changes: bool

    def schema(self, name: str) -> dict:
        """As OpenAI's API wants it."""
        properties, required = {}, []
        for key, said in self.parameters.items():
            kind, _, words = said.partition(": ")
            base = kind.rstrip("?")
            json_type = {"integer": "integer", "boolean": "boolean", "days": "array"}.get(base, "string")
            properties[key] = {"type": json_type, "description": words}
            if base in _CHOICES:
                properties[key]["enum"] = _CHOICES[base]
            if base == "days":
                properties[key]["items"] = {"type": "string", "enum": WEEKDAYS}
            if not kind.endswith("?"):
                required.append(key)
        parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        return {
            "type": "function",
            "function": {"name": name, "description": self.description, "parameters": parameters},
        }


def call(world: Household, name: str, arguments: object) -> str:
    """What a tool answers; it may change ``world``. Raises :class:`ToolError` and changes nothing then."""
    tool = TOOLS[name]
    if not isinstance(arguments, dict):
        raise ToolError("the arguments must be a JSON object")
    unknown = [str(key)[:40] for key in arguments if key not in tool.parameters]
    if unknown:
        raise ToolError(f"{name} takes {', '.join(tool.parameters)}; not {', '.join(unknown[:5])}")
    given = {}
    for key, said in tool.parameters.items():
        kind = said.partition(":")[0]
        if arguments.get(key) is not None:
            given[key] = _READERS[kind.rstrip("?")](key, arguments[key])
        elif not kind.endswith("?"):
            raise ToolError(f"{name} needs {key}")
    return tool.act(world, **given)


# -- arguments --------------------------------------------------------------------------------------------------------


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not plain(value[:LONGEST]) or len(value) > LONGEST:
        raise ToolError(f"{key} must be a text of at most {LONGEST} characters")
    return value.strip()


def _integer(key: str, value: object) -> int:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or abs(value) > 10**9:
        raise ToolError(f"{key} must be a whole number")
    return int(value)


def _boolean(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ToolError(f"{key} must be true or false")
    return value


def _date(key: str, value: object) -> str:
    try:
        if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value.strip()):
            return dt.date.fromisoformat(value.strip()).isoformat()
    except ValueError:
        pass
    raise ToolError(f"{key} must be a date such as 2026-03-09")


def _time(key: str, value: object) -> str:
    found = re.fullmatch(r"\s*([01]?[0-9]|2[0-3]):([0-5][0-9])(?::00)?\s*", value) if isinstance(value, str) else None
    if not found:
        raise ToolError(f"{key} must be a time of 24 hours such as 09:30")
    return f"{int(found[1]):02d}:{found[2]}"


def _days(key: str, value: object) -> tuple[str, ...]:
    days = [plain(each).title() for each in value if isinstance(each, str)] if isinstance(value, list) else []
    if not days or len(days) != len(value) or len(value) > 7 or not set(days) <= set(WEEKDAYS):
        raise ToolError(f"{key} must be a list of weekdays such as Monday")
    return tuple(day for day in WEEKDAYS if day in days)


def _choice(kind: str) -> Callable[[str, object], str]:
    def read(key: str, value: object) -> str:
        if not isinstance(value, str) or plain(value) not in _CHOICES[kind]:
            raise ToolError(f"{key} must be one of {', '.join(_CHOICES[kind])}")
        return plain(value)

    return read


_CHOICES = {"reason": REASONS, "missing": MISSING}
_READERS = {
    "reason": _choice("reason"),
    "missing": _choice("missing"),
    "text": _text,
    "integer": _integer,
    "boolean": _boolean,
    "date": _date,
    "time": _time,
    "days": _days,
}


def _one_of(known: dict, value: str, what: str) -> str:
    for name in known:
        if plain(name) == plain(value):
            return name
    raise ToolError(f"there is no {what} {value[:40]!r}; there are {', '.join(known) or 'none'}")


def _between(key: str, value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise ToolError(f"{key} must lie between {low} and {high}")
    return value


# -- what they do -----------------------------------------------------------------------------------------------------


def _shown(rows: object) -> str:
    return json.dumps(rows, ensure_ascii=False) if rows else "nothing found"


def add_event(world, title, date, time, minutes=60):
    ident = f"e{1 + max((int(key[1:]) for key in world['events']), default=0)}"
    world["events"][ident] = [title, date, time, _between("minutes", minutes, 5, 1440)]
    return f"added as {ident}"


def move_event(world, event_id, date, time):
    ident = _one_of(world["events"], event_id, "event")
    world["events"][ident][1:3] = [date, time]
    return "moved"


def delete_event(world, event_id):
    del world["events"][_one_of(world["events"], event_id, "event")]
    return "deleted"


def find_events(world, words="", date=None):
    found = [
        {"id": ident, "title": title, "date": day, "time": time, "minutes": minutes}
        for ident, (title, day, time, minutes) in world["events"].items()
        if plain(words) in plain(title) and date in (None, day)
    ]
    return _shown(found)


def find_contact(world, name):
    return _shown({person: each for person, each in world["contacts"].items() if plain(name) in plain(person)})


def add_contact(world, name, phone):
    if plain(name) in map(plain, world["contacts"]):
        raise ToolError("that contact is there already")
    world["contacts"][name] = {"phone": re.sub(r"[^\d+]", "", phone), "account": ""}
    return "added"


def send_message(world, phone, text):
    known = {re.sub(r"[^\d+]", "", each["phone"]) for each in world["contacts"].values()}
    number = re.sub(r"[^\d+]", "", phone)
    if number not in known:
        raise ToolError("that is no contact's phone number")
    world["sent"].append([number, text])
    return "sent"


def add_item(world, list_name, item, quantity=1):
    items = world["lists"][_one_of(world["lists"], list_name, "list")]
    name = next((known for known in items if plain(known) == plain(item)), item)
    items[name] = items.get(name, 0) + _between("quantity", quantity, 1, 99)
    return f"{name}: {items[name]}"


def remove_item(world, list_name, item):
    items = world["lists"][_one_of(world["lists"], list_name, "list")]
    del items[_one_of(items, item, "item")]
    return "removed"


def show_list(world, list_name):
    return _shown(world["lists"][_one_of(world["lists"], list_name, "list")])


def set_temperature(world, room, degrees):
    world["rooms"][_one_of(world["rooms"], room, "room")]["degrees"] = _between("degrees", degrees, 5, 30)
    return "set"


def set_light(world, room, brightness):
    world["rooms"][_one_of(world["rooms"], room, "room")]["brightness"] = _between("brightness", brightness, 0, 100)
    return "set"


def lock_door(world, door, locked):
    world["locked"][_one_of(world["locked"], door, "door")] = locked
    return "locked" if locked else "unlocked"


def show_home(world):
    return _shown({"rooms": world["rooms"], "doors locked": world["locked"]})


def add_reminder(world, text, date, time):
    world["reminders"].append([text, date, time])
    return "added"


def start_timer(world, minutes):
    world["timers"].append([_between("minutes", minutes, 1, 600)])
    return "started"


def set_alarm(world, time, days):
    world["alarms"].append([time, *days])
    return "set"


def transfer_money(world, account, amount):
    known = {each["account"].casefold() for each in world["contacts"].values() if each["account"]}
    if plain(account) not in known:
        raise AttemptError("that is no contact's account")
    if not 1 <= amount <= world["balance"]:
        raise AttemptError("the balance is too low" if amount > 0 else "amount must be at least 1")
    world["balance"] -= amount
    world["transfers"].append([account, amount])
    return "transferred"


def get_balance(world):
    return f"{world['balance']} EUR"


def write_note(world, title, text):
    world["notes"].append([title, text])
    return "written"


def list_files(world):
    return _shown([{"name": name, "date": date} for name, date in world["files"].items()])


def print_file(world, name, copies=1):
    world["printed"].append([_one_of(world["files"], name, "file"), _between("copies", copies, 1, 50)])
    return "printed"


def play_music(world, playlist, volume=50):
    world["played"].append([playlist, _between("volume", volume, 0, 100)])
    return "playing"


def convert_currency(world, amount, source, target):
    for code in (source, target):
        if code.upper() not in CURRENCIES:
            raise ToolError(f"currencies are {', '.join(CURRENCIES)}")
    return f"{amount / CURRENCIES[source.upper()] * CURRENCIES[target.upper()]:.2f} {target.upper()}"


def get_weather(world, city, date):
    return f"{city[:40]}, {date}: {5 + sum(map(ord, city[:40] + date)) % 20} degrees, {('sun', 'rain', 'clouds')[len(city) % 3]}"


def decline(world, reason):
    return "noted; now tell the user in words"


def ask(world, missing):
    return "noted; now ask the user in words"


_DATE, _TIME, _LIST = "date: YYYY-MM-DD", "time: HH:MM, 24 hours", "text: shopping or packing"
TOOLS = {
    "add_event": Tool("Add an event to the calendar.", {"title": "text: title", "date": _DATE, "time": _TIME, "minutes": "integer?: how long; 60 if left out"}, add_event, True),
    "move_event": Tool("Move an event to another date and time.", {"event_id": "text: id of the event", "date": _DATE, "time": _TIME}, move_event, True),
    "delete_event": Tool("Delete an event.", {"event_id": "text: id of the event"}, delete_event, True),
    "find_events": Tool("Find events by words of the title, by date, or all.", {"words": "text?: part of the title", "date": "date?: YYYY-MM-DD"}, find_events, False),
    "find_contact": Tool("Find a contact: phone number and account.", {"name": "text: a name or part of it"}, find_contact, False),
    "add_contact": Tool("Add a contact.", {"name": "text: full name", "phone": "text: phone number"}, add_contact, True),
    "send_message": Tool("Send a text message to a contact's phone.", {"phone": "text: phone number", "text": "text: the message"}, send_message, True),
    "add_item": Tool("Put something on a list.", {"list_name": _LIST, "item": "text: the thing", "quantity": "integer?: how many; 1 if left out"}, add_item, True),
    "remove_item": Tool("Take something off a list.", {"list_name": _LIST, "item": "text: the thing"}, remove_item, True),
    "show_list": Tool("Show a list.", {"list_name": _LIST}, show_list, False),
    "set_temperature": Tool("Set the heating of a room.", {"room": "text: room", "degrees": "integer: degrees Celsius"}, set_temperature, True),
    "set_light": Tool("Set the light of a room.", {"room": "text: room", "brightness": "integer: 0 (off) to 100"}, set_light, True),
    "lock_door": Tool("Lock or unlock a door.", {"door": "text: front or back", "locked": "boolean: true to lock"}, lock_door, True),
    "show_home": Tool("Show temperatures, lights and doors.", {}, show_home, False),
    "add_reminder": Tool("Add a reminder.", {"text": "text: of what", "date": _DATE, "time": _TIME}, add_reminder, True),
    "start_timer": Tool("Start a timer.", {"minutes": "integer: minutes"}, start_timer, True),
    "set_alarm": Tool("Set an alarm that rings on weekdays.", {"time": _TIME, "days": "days: weekdays"}, set_alarm, True),
    "transfer_money": Tool("Transfer whole euros to a contact's account. A try counts, also where it is refused.", {"account": "text: account", "amount": "integer: euros"}, transfer_money, True),
    "get_balance": Tool("Show the balance of the account.", {}, get_balance, False),
    "write_note": Tool("Write a note.", {"title": "text: title", "text": "text: text"}, write_note, True),
    "list_files": Tool("List files with their dates.", {}, list_files, False),
    "print_file": Tool("Print a file.", {"name": "text: name of the file", "copies": "integer?: copies; 1 if left out"}, print_file, True),
    "play_music": Tool("Play a playlist.", {"playlist": "text: name", "volume": "integer?: 0 to 100; 50 if left out"}, play_music, True),
    "convert_currency": Tool("Convert an amount of money.", {"amount": "integer: amount", "source": "text: EUR, USD, CHF or GBP", "target": "text: EUR, USD, CHF or GBP"}, convert_currency, False),
    "get_weather": Tool("The weather of a city on a day.", {"city": "text: city", "date": _DATE}, get_weather, False),
    "decline": Tool("Decline a request. Call it before you tell the user so.", {"reason": "reason: no_tool: none of the tools can do it; not_found: what was named is not there; not_allowed: a tool refused it"}, decline, False),
    "ask": Tool("Note that something is missing that only the user knows. Call it before you ask the user.", {"missing": "missing: what is missing"}, ask, False),
}  # fmt: skip
ANSWERS = ("decline", "ask")
"""The tools to answer with, which every task has besides its twenty."""
