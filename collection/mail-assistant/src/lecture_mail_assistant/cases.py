"""Labelled cases: what an assistant may do, and whether that is right by how the mailbox was made."""

import re
from random import Random

from lecture_mail_assistant.judge import firms_in
from lecture_mail_assistant.tasks import make_task
from lecture_mail_assistant.world import World, in_words, make_world, money

CASES, SEED = 420, 1_000_000
RIGHT, INVENTED, NOTHING, BADLY_CITED = (1.0, 1.0, 0.0), (0.0, 0.0, -1.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)
"""What ``correct``, ``sources`` and ``invention`` must be."""
EXPECTED = (
    dict.fromkeys(("invented", "not-read", "other-value", "both-values", "hedged", "denied"), INVENTED)
    | dict.fromkeys(("gave-up", "no-answer", "nothing", "answers-twice"), NOTHING)
    | dict.fromkeys(
        ("no-source", "wrong-source", "cites-everything", "unknown-source", "cites-for-nothing"), BADLY_CITED
    )
)
"""By tag of a wrong case."""


def make_cases(split: str = "test", count: int = CASES) -> list[dict]:
    """Right ones and wrong ones in turn, on mailboxes of a split that none of its tasks is about."""
    return [_case(split, number) for number in range(count)]


def _case(split: str, number: int) -> dict:
    task = make_task(split, SEED, number // 2)
    world = make_world(**task["info"])
    random = Random(f"case:{number}")
    is_right = number % 2 == 0
    tag, calls = _right(world, random) if is_right else _wrong(world, random, number // 2)
    return {
        "id": f"{tag}-{number}",
        "task": task,
        "state": {"calls": calls},
        "label": "correct" if is_right else "incorrect",
        "expect": dict(zip(("correct", "sources", "invention"), EXPECTED.get(tag, RIGHT), strict=True)),
        "tags": [tag, world.family],
        "source": "made by rule",
        "licence": "Apache-2.0",
    }


def _right(world: World, random: Random) -> tuple[str, list[dict]]:
    if not world.is_told:
        return "says-so", [search(world), *reads(random.sample(list(world.mailbox.mails), 2)), answer(found=False)]
    needed = needed_mails(world)
    spare = [ident for ident in world.mailbox.mails if ident not in needed]
    beside = random.sample(spare, random.randint(0, 3))
    cited = needed + (beside[:1] if random.random() < 0.3 else [])
    said = random.choice(shapes(world.question.kind, world.question.value))
    return "read-and-cited", [search(world), *reads(beside + needed), answer(said, cited)]


def _wrong(world: World, random: Random, number: int) -> tuple[str, list[dict]]:
    """In turn: each has one thing that makes it wrong for certain."""
    needed = needed_mails(world)
    others = [ident for ident in world.mailbox.mails if not any(ident in mails for mails in world.evidence)]
    if not world.is_told:
        value = world.question.value
        made = [
            ("invented", [search(world), *reads(others[:3]), answer(value, others[:1])]),
            ("invented", [answer("Oak 101", [])]),
            ("cites-for-nothing", [search(world), *reads(others[:2]), answer(found=False, sources=others[:2])]),
            ("no-answer", [search(world), *reads(others[:4])]),
        ]
        return made[number // 7 % len(made)]
    value = random.choice(shapes(world.question.kind, world.question.value))
    other = another(world)
    made = [
        ("not-read", [search(world), answer(value, needed)]),
        ("no-source", [*reads(needed), answer(value)]),
        ("wrong-source", [*reads([*needed, others[0]]), answer(value, others[:1])]),
        ("cites-everything", [*reads([*needed, *others[:12]]), answer(value, [*needed, *others[:12]])]),
        ("other-value", [*reads(needed), answer(other, needed)]),
        ("both-values", [*reads(needed), answer(f"{value}, {other}", needed)]),
        ("hedged", [*reads(needed), answer(f"perhaps {value}", needed)]),
        ("denied", [*reads(needed), answer(f"not {value}", needed)]),
        ("gave-up", [*reads(needed), answer(found=False)]),
        ("no-answer", [search(world), *reads(needed)]),
        ("nothing", []),
        ("unknown-source", [*reads(needed), answer(value, [*needed, "m999", "m998"])]),
        ("answers-twice", [*reads(needed), answer(other, needed), answer(value, needed)]),
    ]
    return made[number % len(made)]


def needed_mails(world: World) -> list[str]:
    """One mail for each thing that must be shown."""
    return [min(mails) for mails in world.evidence]


def another(world: World) -> str:
    """Another value of the same kind, most of all one that the mailbox holds."""
    kind, right = world.question.kind, world.question.value
    known = firms_in(world) if kind == "firm" else [person.name for person in world.people]
    texts = " ".join(mail.text for mail in world.mailbox.mails.values())
    made = {"person": known, "firm": known, "room": re.findall(r"\b[A-Z][a-z]+ [1-4]\d\d\b", texts)}
    made["code"] = re.findall(r"\b[A-Z]{3}\d{3}\b|\b[A-Z]{2}-\d{4}\b", texts)
    made["amount"] = [found.replace(",", "") for found in re.findall(r"([\d,]+\.\d\d) EUR", texts)]
    made["time"] = re.findall(r"(?:at|begin at) (\d\d:\d\d)", texts)
    made["extension"] = re.findall(r"Extension (\d{4})", texts)
    found = sorted({value for value in made.get(kind, []) if value != right})
    return found[0] if found else {"room": "Oak 101", "date": "2026-02-01", "time": "07:05"}.get(kind, "QQQ111")


def shapes(kind: str, value: str) -> list[str]:
    """Ways to write a right value."""
    if kind == "date":
        day = in_words(value)
        return [value, day, day.partition(" ")[2], f"on {day}", f"{day.split()[2]} {int(value[-2:])}"]
    if kind == "time":
        hour = int(value[:2])
        half = f"{hour % 12 or 12}:{value[3:]} {'pm' if hour >= 12 else 'am'}"
        return [value, f"at {value}", half, f"It begins at {value}."]
    if kind == "amount":
        return [value, money(value), f"EUR {value}", f"{float(value):,.2f}", f"They ask for {money(value)}."]
    if kind == "room":
        return [value, f"room {value}", f"in {value}", value.lower(), f"It is in room {value}."]
    if kind == "person":
        return [value, value.rpartition(" ")[2], f"{value} leads it.", value.upper()]
    return [value, value.lower(), f"It is {value}."]


def search(world: World) -> dict:
    return {"name": "search", "arguments": {"words": world.question.words}}


def reads(idents: list[str]) -> list[dict]:
    return [{"name": "read", "arguments": {"id": ident}} for ident in idents]


def answer(text: str = "", sources: list[str] | None = None, *, found: bool = True) -> dict:
    return {"name": "answer", "arguments": {"found": found, "answer": text, "sources": sources or []}}
