"""What the tools work on: contacts, calendar, lists, files, rooms, money. Drawn anew for each task."""

# ruff: noqa: E501 -- tables

import copy
import datetime as dt
import unicodedata
from random import Random

_POOLS = {
    "train": {
        "first": "Adele Boris Celine Dmitri Elisa Fabian Gloria Hannes Ingrid Joel".split(),
        "last": "Albers Brandt Castell Dorn Ebert Falk Gessner Holm".split(),
        "rooms": "bedroom kitchen hall study bathroom attic".split(),
        "titles": "Dentist|Budget review|Piano lesson|Team lunch|Car service|Book club|Yoga class|School visit|Haircut|Eye test".split("|"),
        "items": "milk|rice|apples|soap|bread|candles|pasta|cheese|paper towels|olive oil".split("|"),
        "files": "invoice lease recipe ticket poster resume".split(),
        "texts": "Running late|See you at the station|Thanks for dinner|Call me tonight|The parcel is here|Happy birthday".split("|"),
        "chores": "water the plants|pay the rent|call the plumber|renew the passport|feed the cat".split("|"),
        "playlists": "Morning Jazz|Deep Focus|Rain Sounds".split("|"),
    },
    "validation": {
        "first": "Karin Lothar Mirja Nikolas Oda".split(),
        "last": "Imhof Jansen Kessel Lorenz".split(),
        "rooms": "nursery pantry lounge cellar den".split(),
        "titles": "Choir practice|Vet appointment|Tax meeting|Garden party|Driving test|Flu shot".split("|"),
        "items": "tea|flour|grapes|batteries|yoghurt|matches".split("|"),
        "files": "contract agenda flyer permit syllabus".split(),
        "texts": "I left the key outside|Dinner is at eight|Good luck today|The train was early".split("|"),
        "chores": "clean the oven|return the library books|order new glasses|sign the form".split("|"),
        "playlists": "Slow Sunday|Road Trip".split("|"),
    },
    "test": {
        "first": "Pavel Renate Silvio Tilda Ursel Valentin".split(),
        "last": "Moreno Neri Oster Pohl Quandt".split(),
        "rooms": "library veranda workshop laundry gym".split(),
        "titles": "Chess evening|Job interview|Roof inspection|Wine tasting|Blood donation|Parents evening|Swim class".split("|"),
        "items": "coffee|lentils|pears|light bulbs|butter|envelopes|honey".split("|"),
        "files": "certificate manual brochure transcript budget".split(),
        "texts": "The meeting moved to noon|I found your scarf|Please bring the charger|We won the match".split("|"),
        "chores": "change the filter|book the campsite|polish the shoes|back up the laptop".split("|"),
        "playlists": "Night Drive|Summer Brunch".split("|"),
    },
}  # fmt: skip
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
CURRENCIES = {"EUR": 1.0, "USD": 1.25, "CHF": 0.96, "GBP": 0.8}
Household = dict


def pool(split: str, name: str) -> list[str]:
    """Words of one kind that a split has for itself."""
    return _POOLS[split][name]


def draw_household(split: str, random: Random) -> Household:
    """People, events, lists, files, rooms and money of one task."""
    today = dt.date(2026, 1, 5) + dt.timedelta(days=random.randrange(300))
    first = random.sample(pool(split, "first"), 4)
    last = random.sample(pool(split, "last"), 3)
    names = [*(f"{name} {family}" for name, family in zip(first, last, strict=False)), f"{first[3]} {last[0]}"]
    people = {
        name: {"phone": f"+49 30 {random.randrange(10**6, 10**7)}", "account": f"AC{random.randrange(10**5, 10**6)}"}
        for name in names
    }
    titles = random.sample(pool(split, "titles"), 4)
    events = {}
    for place, title in enumerate(titles, 1):
        day = today + dt.timedelta(days=random.randrange(1, 20))
        events[f"e{place}"] = [
            title,
            day.isoformat(),
            f"{random.randrange(8, 20):02d}:{random.choice(('00', '30'))}",
            60,
        ]
    files = random.sample(pool(split, "files"), 3)
    return {
        "today": today.isoformat(),
        "contacts": people,
        "events": events,
        "lists": {"shopping": dict.fromkeys(random.sample(pool(split, "items"), 2), 1), "packing": {}},
        "files": {
            f"{name}-{number}.pdf": (today - dt.timedelta(days=9 * number + random.randrange(9))).isoformat()
            for name in files
            for number in random.sample(range(1, 9), 2)
        },
        "rooms": {
            room: {"degrees": random.randrange(16, 24), "brightness": random.choice((0, 100))}
            for room in random.sample(pool(split, "rooms"), 4)
        },
        "locked": {"front": random.random() < 0.5, "back": random.random() < 0.5},
        "balance": random.randrange(200, 3000),
        **{name: [] for name in ("sent", "reminders", "alarms", "timers", "notes", "printed", "transfers", "played")},
    }


def plain(text: str) -> str:
    """Text as it is compared: without case, marks around it, doubled spaces and other forms of letters."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("‘", "'")
    return " ".join(folded.split()).strip(" \"'“”„.!")


def snapshot(world: Household) -> dict:
    """What is compared: everything that tools may change, ids and order of writing left out."""
    seen = copy.deepcopy(world)
    seen["events"] = sorted([plain(title), *rest] for title, *rest in seen["events"].values())
    seen["contacts"] = {plain(name): each for name, each in seen["contacts"].items()}
    seen["lists"] = {
        name: {plain(item): count for item, count in items.items()} for name, items in seen["lists"].items()
    }
    for name in ("sent", "reminders", "alarms", "timers", "notes", "printed", "transfers", "played"):
        seen[name] = sorted(
            repr([plain(each) if isinstance(each, str) else each for each in row]) for row in seen[name]
        )
    return seen
