"""What people ask for: for each kind of request its wordings, the calls that do it, and what must be looked up first."""

# ruff: noqa: E501 -- tables

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from lecture_function_calls.household import WEEKDAYS, Household, pool


@dataclass(frozen=True)
class Intent:
    """One request: words, the calls that change what it asks for, and the tools that must be looked with."""

    words: str
    gold: list[tuple[str, dict]]
    looks: list[str] = field(default_factory=list)
    asks: tuple[str, str, str] | None = None
    """The request with one thing left out, what the person says when asked for it, and the word for it in ``ask``."""

    @property
    def tools(self) -> set[str]:
        """The tools without which it cannot be done."""
        return {name for name, _ in self.gold} | set(self.looks)


Maker = Callable[[Household, Random, str], Intent]
_WORDING = {"train": (0, 1), "validation": (2,), "test": (3,)}
"""Which wordings a split uses."""


def _say(random: Random, split: str, *wordings: str) -> str:
    return wordings[random.choice(_WORDING[split])]


def _day(world: Household, random: Random) -> tuple[str, str]:
    """A date, and words for it."""
    today = dt.date.fromisoformat(world["today"])
    ahead = random.randrange(1, 15)
    day = today + dt.timedelta(days=ahead)
    said = [f"on {day.isoformat()}", f"on {day:%B} {day.day}"]
    if ahead == 1:
        said = ["tomorrow"]
    elif ahead < 7:
        said += [f"this coming {WEEKDAYS[day.weekday()]}", f"in {ahead} days"]
    return day.isoformat(), random.choice(said)


def _clock(random: Random) -> tuple[str, str]:
    hour, minute = random.randrange(7, 22), random.choice((0, 15, 30, 45))
    half = f"{hour % 12 or 12}:{minute:02d} {'pm' if hour >= 12 else 'am'}"
    return f"{hour:02d}:{minute:02d}", random.choice((f"{hour:02d}:{minute:02d}", half))


def temperature(world, random, split):
    room, degrees = random.choice(list(world["rooms"])), random.randrange(15, 26)
    words = _say(
        random,
        split,
        "Set the heating in the {r} to {d} degrees.",
        "I want it to be {d} degrees in the {r}.",
        "Make the {r} {d} degrees warm.",
        "Please bring the {r} to {d} degrees.",
    )
    asked = _say(
        random,
        split,
        "Set the heating to {d} degrees in one room.",
        "I want it to be {d} degrees in a room.",
        "Make one of the rooms {d} degrees warm.",
        "Please bring one room to {d} degrees.",
    )
    gold = [("set_temperature", {"room": room, "degrees": degrees})]
    return Intent(words.format(r=room, d=degrees), gold, asks=(asked.format(d=degrees), f"The {room}.", "room"))


def light(world, random, split):
    room, level = random.choice(list(world["rooms"])), random.choice((0, 20, 35, 60, 75, 90))
    if level == 0:
        words = _say(
            random,
            split,
            "Switch off the light in the {r}.",
            "Turn the {r} light off.",
            "The {r} should be dark.",
            "Kill the lights in the {r}.",
        )
    else:
        words = _say(
            random,
            split,
            "Set the light in the {r} to {d} percent.",
            "Dim the {r} to {d} percent brightness.",
            "I need {d} % light in the {r}.",
            "Bring the {r} light to {d} %.",
        )
    return Intent(words.format(r=room, d=level), [("set_light", {"room": room, "brightness": level})])


def new_event(world, random, split):
    title = random.choice(
        [each for each in pool(split, "titles") if each not in [event[0] for event in world["events"].values()]]
    )
    (date, day), (time, clock), minutes = _day(world, random), _clock(random), random.choice((30, 45, 60, 90))
    words = _say(
        random,
        split,
        'Put "{t}" into my calendar {d} at {c} for {m} minutes.',
        'Please add the event "{t}" {d}, {c}; it takes {m} minutes.',
        'Block {m} minutes for "{t}" {d} at {c}.',
        'I have "{t}" {d}, starting {c}, {m} minutes long. Calendar, please.',
    )
    asked = _say(
        random,
        split,
        'Put "{t}" into my calendar {d} for {m} minutes.',
        'Please add the event "{t}" {d}; it takes {m} minutes.',
        'Block {m} minutes for "{t}" {d}.',
        'I have "{t}" {d}, {m} minutes long. Calendar, please.',
    )
    given = {"t": title, "d": day, "c": clock, "m": minutes}
    gold = [("add_event", {"title": title, "date": date, "time": time, "minutes": minutes})]
    return Intent(words.format(**given), gold, asks=(asked.format(**given), f"At {clock}.", "time"))


def moved_event(world, random, split):
    ident, (title, *_) = random.choice(list(world["events"].items()))
    (date, day), (time, clock) = _day(world, random), _clock(random)
    words = _say(
        random,
        split,
        'Move "{t}": it is {d} at {c} now.',
        'My "{t}" has been shifted. It takes place {d} at {c}.',
        '"{t}" is rescheduled and happens {d} at {c}. Update the calendar.',
        'Change "{t}" so that it starts {d} at {c}.',
    )
    gold = [("move_event", {"event_id": ident, "date": date, "time": time})]
    return Intent(words.format(t=title, d=day, c=clock), gold, ["find_events"])


def cancelled_event(world, random, split):
    ident, (title, *_) = random.choice(list(world["events"].items()))
    words = _say(
        random,
        split,
        'Cancel "{t}".',
        'Take "{t}" out of my calendar.',
        '"{t}" will not happen. Remove it from the calendar.',
        'Delete the appointment "{t}".',
    )
    return Intent(words.format(t=title), [("delete_event", {"event_id": ident})], ["find_events"])


def message(world, random, split):
    name, text = random.choice(list(world["contacts"])), random.choice(pool(split, "texts"))
    words = _say(
        random,
        split,
        'Text {n}: "{t}"',
        'Send {n} the message "{t}"',
        'Let {n} know by text message: "{t}"',
        'Drop {n} a text that says "{t}"',
    )
    asked = _say(
        random,
        split,
        'Text somebody: "{t}"',
        'Send the message "{t}"',
        'Let somebody know by text message: "{t}"',
        'Drop a text that says "{t}"',
    )
    gold = [("send_message", {"phone": world["contacts"][name]["phone"], "text": text})]
    return Intent(
        words.format(n=name, t=text), gold, ["find_contact"], asks=(asked.format(t=text), f"To {name}.", "person")
    )


def item(world, random, split):
    thing = random.choice([each for each in pool(split, "items") if each not in world["lists"]["shopping"]])
    where, number = random.choice(("shopping", "packing")), random.randrange(1, 7)
    words = _say(
        random,
        split,
        "Put {q} × {t} on the {w} list.",
        "Add {t} to the {w} list, quantity {q}.",
        "{t}, {q} of it, belongs on my {w} list.",
        "Note {t} ({q}) on the {w} list.",
    )
    asked = _say(
        random,
        split,
        "Put {q} × {t} on a list.",
        "Add {t} to one of my lists, quantity {q}.",
        "{t}, {q} of it, belongs on a list.",
        "Note {t} ({q}) on a list.",
    )
    given = {"q": number, "t": thing, "w": where}
    gold = [("add_item", {"list_name": where, "item": thing, "quantity": number})]
    return Intent(words.format(**given), gold, asks=(asked.format(**given), f"The {where} list.", "list"))


def bought(world, random, split):
    thing = random.choice(list(world["lists"]["shopping"]))
    words = _say(
        random,
        split,
        "Take {t} off the shopping list.",
        "We have {t} already; remove it from the shopping list.",
        "Cross {t} off the shopping list.",
        "Strike {t} from the shopping list.",
    )
    return Intent(words.format(t=thing), [("remove_item", {"list_name": "shopping", "item": thing})])


def payment(world, random, split):
    name, amount = random.choice(list(world["contacts"])), random.randrange(5, 150)
    words = _say(
        random,
        split,
        "Transfer {a} euros to {n}.",
        "I owe {n} {a} euros. Pay by transfer.",
        "Pay {n} {a} euros from my account.",
        "Wire {a} euros to {n}.",
    )
    gold = [("transfer_money", {"account": world["contacts"][name]["account"], "amount": amount})]
    return Intent(words.format(a=amount, n=name), gold, ["find_contact"])


def reminder(world, random, split):
    chore, (date, day), (time, clock) = random.choice(pool(split, "chores")), _day(world, random), _clock(random)
    words = _say(
        random,
        split,
        'Remind me {d} at {c}: "{t}"',
        'Set a reminder "{t}" {d} at {c}.',
        'I must not forget "{t}". Ping me {d} at {c}.',
        'Give me a reminder {d}, {c}, with the words "{t}"',
    )
    gold = [("add_reminder", {"text": chore, "date": date, "time": time})]
    return Intent(words.format(t=chore, d=day, c=clock), gold)


def alarm(world, random, split):
    time, clock = _clock(random)
    days = sorted(random.sample(range(7), random.randrange(1, 4)))
    said = "weekdays from Monday to Friday" if days == [0, 1, 2] else " and ".join(WEEKDAYS[day] for day in days)
    chosen = WEEKDAYS[:5] if days == [0, 1, 2] else [WEEKDAYS[day] for day in days]
    words = _say(
        random,
        split,
        "Set an alarm for {c} on {d}.",
        "Wake me at {c}; it should ring on {d}.",
        "I get up at {c} on {d}. Set the alarm.",
        "An alarm at {c}, please, on {d}.",
    )
    return Intent(words.format(c=clock, d=said), [("set_alarm", {"time": time, "days": chosen})])


def newest_file(world, random, split):
    kind = random.choice(sorted({name.partition("-")[0] for name in world["files"]}))
    names = [name for name in world["files"] if name.startswith(f"{kind}-")]
    newest, copies = max(names, key=world["files"].__getitem__), random.randrange(1, 5)
    words = _say(
        random,
        split,
        "Print the newest {k}, {n} times.",
        "I need {n} printed copies of my latest {k}.",
        "Print {n} × the most recent {k}.",
        "Of all {k} files print the last dated one; copies: {n}.",
    )
    return Intent(words.format(k=kind, n=copies), [("print_file", {"name": newest, "copies": copies})], ["list_files"])


def timer(world, random, split):
    minutes = random.choice((3, 8, 12, 20, 90))
    said = "an hour and a half" if minutes == 90 else f"{minutes} minutes"
    words = _say(random, split, "Start a timer of {m}.", "Tell me when {m} are over.", "Timer: {m}.", "Count down {m}.")
    return Intent(words.format(m=said), [("start_timer", {"minutes": minutes})])


def door(world, random, split):
    which, locked = random.choice(("front", "back")), random.random() < 0.6
    words = _say(
        random,
        split,
        "{v} the {w} door.",
        "The {w} door: {v} it.",
        "I want the {w} door to be {v}ed.",
        "Please see that the {w} door is {v}ed.",
    )
    return Intent(
        words.format(w=which, v="lock" if locked else "unlock").capitalize(),
        [("lock_door", {"door": which, "locked": locked})],
    )


def conditional(world, random, split):
    """Two ways, and which one is to go must be looked up."""
    if random.random() < 0.5:
        limit = world["balance"] + random.choice((-70, -20, 15, 60))
        pay, remind = payment(world, random, split), reminder(world, random, split)
        words = _say(
            random,
            split,
            "If my balance is above {l} euros: {a} Otherwise: {b}",
            "Look at my balance. More than {l} euros? Then: {a} If not: {b}",
            "Should there be over {l} euros in my account: {a} Else: {b}",
            "Only with a balance of more than {l} euros: {a} With less: {b}",
        )
        chosen = pay if world["balance"] > limit else remind
        return Intent(words.format(l=limit, a=pay.words, b=remind.words), chosen.gold, ["get_balance", "find_contact"])
    day = random.choice([*(event[1] for event in world["events"].values()), "2027-02-03"])
    warm, dark = temperature(world, random, split), light(world, random, split)
    words = _say(
        random,
        split,
        "If my calendar has anything on {d}: {a} If it is free: {b}",
        "Is there an event on {d}? Then: {a} If there is none: {b}",
        "Should I be busy on {d}: {a} Should I have nothing: {b}",
        "In case of an appointment on {d}: {a} Without one: {b}",
    )
    busy = any(event[1] == day for event in world["events"].values())
    return Intent(words.format(d=day, a=warm.words, b=dark.words), (warm if busy else dark).gold, ["find_events"])


PLAIN: list[Maker] = [temperature, light, new_event, item, bought, reminder, alarm, timer, door]
LOOKED_UP: list[Maker] = [moved_event, cancelled_event, message, payment, newest_file]
NO_SUBSTITUTE: list[Maker] = [temperature, light, item, bought, door, message, payment, newest_file]
"""What no other tool can do in its place."""
ASKED_BACK: list[Maker] = [temperature, new_event, message, item]
IMPOSSIBLE = {
    "train": ["Order a pizza for two.", "Book a flight to Lisbon.", "Call a taxi to the station.", "Vacuum the living room carpet.", "Renew my driving licence.", "Sell my old bicycle.", "Repair the tap.", "Apply for a parking permit.", "Walk the dog at noon.", "Pick up my suit from the cleaner.", "Upload the video to my channel.", "Vote for me in the poll."],
    "validation": ["Rent a van for Saturday.", "Translate the town's website into Dutch.", "Mow the lawn.", "Buy two tickets for the opera.", "Iron my shirts.", "Find a tenant for the garage.", "Update my phone to the newest system."],
    "test": ["Reserve a table at the Italian restaurant.", "Send a bunch of flowers to my grandmother.", "Wash the car.", "Download a film for tonight.", "Charge the electric scooter.", "Paint the fence green.", "Return the shoes to the shop.", "Hire a photographer for June."],
}  # fmt: skip
"""What no tool of all can do."""
