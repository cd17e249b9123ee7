"""Labelled cases about the validation tasks: right texts in many spellings, and texts with one thing broken."""

import re
from random import Random

from lecture_instructions.prose import PROSE, UNSEEN, task_of_prose
from lecture_instructions.tasks import make_with_text
from lecture_instructions.writing import FILLERS

TASKS = 60
_LONG = (
    "and you may walk on and look around for as long as you like because all of it is open to you and to your friends"
)
_WITH_LETTER = dict(
    zip(
        "bcdfgkpquvwxyz",
        "bread cake door fish green kitchen path queen music valley water box yellow zoo".split(),
        strict=True,
    )
)


def make_cases() -> list[dict]:
    """Three right and four wrong ones a task, and the texts written by hand."""
    made = [case for number in range(TASKS) for case in _of_task(number)]
    made += [_prose_case(place, text) for place, (_, text, _) in enumerate(PROSE)]
    return list({(case.get("task_id"), case["response"]): case for case in reversed(made)}.values())[::-1]


def _of_task(number: int) -> list[dict]:
    task, text = make_with_text("validation", 0, number)
    random = Random(f"case:{number}")
    right = spellings(task, text)
    wrong = [*broken(task, text), *untold(task, text, random), *gibberish(task, text, random)]
    chosen = random.sample(list(right.items()), min(3, len(right)))
    told = [(tag, text, "correct", None) for tag, text in chosen]
    picked = [wrong[(number * 5 + step * 4) % len(wrong)] for step in range(5)]
    told += [(tag, text, "incorrect", expect) for tag, text, expect in {each[0]: each for each in picked}.values()]
    return [_case(f"{tag}-{number}", task["id"], text, label, expect, tag) for tag, text, label, expect in told]


def _case(ident: str, task: str | dict, text: str, label: str, expect: dict | None, tag: str) -> dict:
    made = {"id": ident, "task_id" if isinstance(task, str) else "task": task, "response": text, "label": label}
    all_right = dict.fromkeys(("length", "words", "form", "letters", "all_kept", "tells", "fluent"), 1.0)
    expect = all_right if label == "correct" else expect
    made |= {"expect": expect} if expect else {}
    return made | {"tags": [tag], "source": "made by rule", "licence": "Apache-2.0"}


def _prose_case(place: int, text: str) -> dict:
    task = task_of_prose(place)
    tag = "prose" if place < UNSEEN else "unseen-prose"
    return _case(f"prose-{place}", task, text, "correct", None, tag) | {"source": "written by hand"}


def kinds_of(task: dict) -> dict[str, tuple[str, list]]:
    """Family -> kind and parameters."""
    return {family: (kind, parameters) for family, kind, parameters in task["info"]["constraints"]}


def spellings(task: dict, text: str) -> dict[str, str]:
    """The same text, written in other ways that every constraint allows."""
    kinds = {family: kind for family, (kind, _) in kinds_of(task).items()}
    name = re.search(re.escape(task["info"]["name"]), text, re.IGNORECASE)[0]
    made = {
        "as-it-is": text,
        "thought-about": f"<think>Let me count: 1, 2, 3! THE</think>\n{text}",
        "carriage-returns": text.replace("\n", "\r\n") + "\r\n",
        "bold-name": text.replace(name, f"**{name}**"),
        "thousands": re.sub(r"(?<=\d),(?=\d{3})", "", text),
    }
    if "metres" in text.lower() and kinds["letters"] not in ("uppercase", "capitals", "without-letter"):
        made["meters"] = text.replace("metres", "meters").replace("METRES", "METERS")
        if kinds["letters"] == "lowercase" or "METRES" not in text:
            made["m"] = text.replace(" metres", " m")
    if kinds["form"] == "bullets":
        made["stars"] = re.sub(r"(?m)^- ", "* ", text)
        made["dots"] = re.sub(r"(?m)^- ", "• ", text)
    if kinds["form"] == "numbered":
        made["brackets"] = re.sub(r"(?m)^(\d)\. ", r"\1) ", text)
        made["gaps"] = text.replace("\n", "\n\n")
    if kinds["form"] == "quoted":
        made["curly-quotes"] = f"“{text[1:-1]}”"
    if kinds["form"] == "titled":
        made["gap-after-title"] = text.replace("\n", "\n\n", 1)
    return made


def broken(task: dict, text: str) -> list[tuple[str, str, dict]]:
    """Each constraint broken in one step: tag, text, and which rewards are 0 for certain."""
    found = []
    for family, (kind, parameters) in kinds_of(task).items():
        for tag, changed in _BREAKERS[kind](text, parameters):
            if changed != text:
                found.append((f"{kind}-{tag}", changed, {family: 0.0, "all_kept": 0.0}))
    return found


def untold(task: dict, text: str, random: Random) -> list[tuple[str, str, dict]]:
    """A fact is left out, changed, denied, or another number is added."""
    info = task["info"]
    kind, value = random.choice(list(info["facts"].items()))
    core = re.escape(value.split()[0]).replace(",", ",?") if kind in ("size", "visitors") else re.escape(value)
    other = {
        "year": str(int(re.sub(r"\D", "", value) or 0) + 1),
        "size": "11",
        "visitors": "1,001",
        "person": "Ada Zuber",
        "town": "Leeds",
        "colour": "pink",
    }
    gate = {"tells": 0.0}
    name = re.compile(re.escape(info["name"]), re.IGNORECASE)
    made = [
        ("other-value", re.sub(core, other[kind], text, flags=re.IGNORECASE), gate),
        ("fact-left-out", re.sub(rf"[^.!\n]*\b{core}\b[^.!\n]*[.!]", "", text, flags=re.IGNORECASE), gate),
        ("one-more-number", f"{text} It has 77 rooms.", gate),
        ("or-another", re.sub(core, lambda match: f"{match[0]} or {other['year']}", text, flags=re.IGNORECASE), gate),
        ("denied", re.sub(rf"([^.!\n]*\b{core})", r" It is not true that \1", text, flags=re.IGNORECASE), gate),
        ("asked", re.sub(rf"(\b{core}\b[^.!\n]*)[.!]", r"\1?", text, flags=re.IGNORECASE), gate),
        ("unnamed", name.sub("this place", text), gate),
        ("other-name", name.sub("Silver Castle", text), gate),
    ]
    if {"year", "size"} <= set(info["facts"]):
        year, size = info["facts"]["year"], info["facts"]["size"].split()[0]
        swapped = text.replace(year, "@").replace(size, year).replace("@", size)
        made.append(("swapped", swapped, gate))
    return made


def gibberish(task: dict, text: str, random: Random) -> list[tuple[str, str, dict | None]]:
    """What keeps constraints and says nothing, or not in English."""
    info = task["info"]
    parts = text.split(" ")
    mixed = random.sample(parts, len(parts))
    facts = ". ".join(info["facts"].values())
    soup = " ".join("".join(random.choices("bcdfglmnprst", k=5)) for _ in parts)
    return [
        ("shuffled", " ".join(mixed), None),
        ("letter-soup", f"{text} {soup}.", {"fluent": 0.0}),
        ("same-again", f"{text} {text}", {"fluent": 0.0}),
        ("bare-facts", f"{info['name']}. {facts}.", {"fluent": 0.0}),
        ("echo", task["prompt"], None),
        ("facts-and-junk", f"{info['name']} {facts} the of the of and it is to a.", {"fluent": 0.0}),
        ("look-alike", f"{text} {'А fine plаce for аll.'}", {"fluent": 0.0}),
        ("constant", "The place opened in 1900. It is a fine place and many people come here.", {"tells": 0.0}),
        ("empty", "", {"tells": 0.0}),
        ("refusal", f"I am sorry, but I cannot write about {info['name']}.", {"tells": 0.0}),
        ("claims", "All facts are told and all four rules are kept.", {"tells": 0.0}),
        ("endless", text + " and so on" * 2000, {"tells": 0.0}),
        ("fillers", " ".join(f"{line.strip('.')}." for line in FILLERS[:8]), {"tells": 0.0}),
    ]


def _first_letter(text: str, change) -> str:
    place = next(place for place, char in enumerate(text) if char.isalpha())
    return text[:place] + change(text[place]) + text[place + 1 :]


def _ended(text: str, more: str) -> str:
    """``more`` behind the last word, inside of a closing quotation mark."""
    return f'{text[:-1]} {more}"' if text.endswith('"') else f"{text} {more}"


_BREAKERS = {
    "words-between": lambda text, given: [
        ("over", _ended(text, f"{_LONG}.")),
        ("under", " ".join(text.split()[: given[0] // 2])),
    ],
    "sentences-exactly": lambda text, _: [
        ("one-more", _ended(text, "Come and see.")),
        ("joined", re.sub(r"[.!] (?=\w)", " and ", text, count=1)),
    ],
    "longest-sentence": lambda text, _: [("too-long", _ended(text, f"Come in {_LONG}."))],
    "uses": lambda text, given: [
        ("missing", re.sub(given[0], "picture", text, flags=re.IGNORECASE)),
        ("inside-a-word", re.sub(given[1], f"{given[1]}less", text, flags=re.IGNORECASE)),
    ],
    "uses-times": lambda text, given: [
        ("once-more", _ended(text, f"It is the {given[0]}.")),
        ("once-less", re.sub(rf"\b{given[0]}\b", "picture", text, count=1, flags=re.IGNORECASE)),
    ],
    "avoids": lambda text, given: [
        ("used", _ended(text, f"Some say {given[0]}.")),
        ("in-capitals", _ended(text, f"Some say {given[1].upper()}.")),
        ("parted", _ended(text, f"Some say {given[2][0]}\u200b{given[2][1:]}.")),
        ("hyphenated", _ended(text, f"Some say so-{given[0]}.")),
    ],
    "begins": lambda text, given: [("late", _first_letter(text, lambda char: f"And {char}"))],
    "ends": lambda text, _: [("goes-on", _ended(text, "Goodbye.")), ("cut", text.rstrip(' ".!').rpartition(" ")[0])],
    "bullets": lambda text, _: [
        ("lead-in", f"Here is the list:\n{text}"),
        ("unmarked", text.replace("- ", "", 1)),
        ("one-more", f"{text}\n- Come and see."),
        ("mark-alone", f"{text}\n- "),
    ],
    "numbered": lambda text, _: [
        ("from-two", re.sub(r"(?m)^(\d)\.", lambda match: f"{int(match[1]) + 1}.", text)),
        ("lead-in", f"Here is the list:\n{text}"),
        ("all-one", re.sub(r"(?m)^\d\.", "1.", text)),
        ("one-more", f"{text}\n5. Come and see."),
    ],
    "paragraphs": lambda text, _: [
        ("one-less", text.replace("\n\n", " ", 1)),
        ("one-more", f"{text}\n\nCome and see."),
        ("no-empty-line", text.replace("\n\n", "\n")),
    ],
    "one-line": lambda text, _: [("parted", text.replace(". ", ".\n", 1) if ". " in text else f"{text}\nSo.")],
    "titled": lambda text, _: [
        ("no-title", text.partition("\n")[2]),
        ("single", text.replace("<<", "<").replace(">>", ">")),
        ("at-the-end", "\n".join(reversed(text.split("\n", 1)))),
        ("empty", re.sub("<<.*>>", "<< >>", text)),
    ],
    "quoted": lambda text, _: [
        ("open", text[:-1]),
        ("bare", text[1:-1]),
        ("inside-too", text.replace(". ", '. "So" ', 1)),
        ("words-before", f"Here: {text}"),
    ],
    "lowercase": lambda text, _: [("one-capital", _first_letter(text, str.upper))],
    "uppercase": lambda text, _: [("one-small", _first_letter(text, str.lower))],
    "no-commas": lambda text, _: [
        ("one", text.replace(" ", ", ", 1)),
        ("other-comma", text.replace(" ", "\uff0c ", 1)),
    ],
    "without-letter": lambda text, given: [
        ("used", _ended(text, f"There is {_WITH_LETTER[given[0]]} too.")),
        ("capital", _ended(text, f"There is {_WITH_LETTER[given[0]].upper()} too.")),
        ("wide", _ended(text, f"There is {chr(ord(given[0]) + 0xFEE0)} too.")),
        ("accent", _ended(text, f"There is {given[0]}\u0301 too.")),
    ],
    "capitals": lambda text, _: [("one-more", _ended(text, "It is a MUST."))],
    "exclamations": lambda text, _: [("one-more", _ended(text, "So!")), ("one-less", text.replace("!", ".", 1))],
}  # fmt: skip
"""Kind -> text and parameters -> broken texts."""
