"""Labelled cases: calls and an answer, and whether they are right by how the encyclopedia was made."""

import re
from random import Random

from lecture_cited_search.model import World
from lecture_cited_search.session import MOST_QUOTES
from lecture_cited_search.tasks import make_task
from lecture_cited_search.world import CYCLE, make_world

CASES, SEED = 416, 1_000_000
RIGHT, UNSUPPORTED, WRONG, FORGED = (1.0, 1.0, 1.0), (1.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
EXPECTED = {
    **dict.fromkeys(("no-quote", "other-sentence", "namesake-quoted", "four-sentences", "one-of-two"), UNSUPPORTED),
    **dict.fromkeys(("right-value-lure-quoted", "quotes-everything", "two-lures-quoted"), UNSUPPORTED),
    **dict.fromkeys(("quotes-for-nothing", "lure-quoted-for-nothing"), UNSUPPORTED),
    **dict.fromkeys(("half-sentence", "own-words", "changed-word", "inside-of-a-rumour"), (1.0, 0.0, 0.0)),
    **dict.fromkeys(("not-opened",), FORGED),
}
"""What ``correct``, ``supported`` and ``genuine`` must be, by tag of a wrong case; every other is not correct."""


Case = tuple[str, list[dict]]
"""What it is, and the calls."""


def make_cases(split: str = "test", count: int = CASES) -> list[dict]:
    """Right ones and wrong ones in turn, on encyclopedias of a split that none of its tasks is about."""
    return [_case(split, number) for number in range(count)]


def _case(split: str, number: int) -> dict:
    index = number // 2 + 5 * (number // (2 * len(CYCLE)))
    task, world, random = make_task(split, SEED, index), make_world(split, SEED, index), Random(f"case:{number}")
    is_right = number % 2 == 0
    tag, calls = _right(world, random) if is_right else _wrong(world, random, number // 2)
    return {
        "id": f"{tag}-{number}",
        "task": task,
        "state": {"calls": calls},
        "label": "correct" if is_right else "incorrect",
        "expect": dict(
            zip(("correct", "supported", "genuine"), RIGHT if is_right else EXPECTED.get(tag, WRONG), strict=True)
        ),
        "tags": [tag, *task["tags"]],
        "source": "made by rule",
        "licence": "Apache-2.0",
    }


def _right(world: World, random: Random) -> Case:
    if not world.needed:
        return "says-so", [search(world), *opens(world.about), *opens(others(world)[:2]), answer(found=False)]
    quotes = [random.choice(copies(text)) for _, text in world.evidence]
    read = [min(idents) for idents, _ in world.evidence]
    beside = opens(random.sample(others(world), random.randint(0, 3)))
    if random.random() < 0.3:
        quotes.append(world.articles[read[0]].sentences[0])
    random.shuffle(quotes)
    said = random.choice(shapes(world))
    return "quoted", [search(world), *beside, *opens(read), answer(said, list(dict.fromkeys(quotes)))]


def _wrong(world: World, random: Random, number: int) -> Case:
    """In turn: each has one thing that makes it wrong for certain."""
    made = _mistakes(world, random) if world.needed else _mistakes_about_nothing(world)
    return made[(number if world.needed else number // len(CYCLE)) % len(made)]


def _mistakes_about_nothing(world: World) -> list[Case]:
    where, lure = world.lures()[0]
    own = [search(world), *opens(world.about)]
    return [
        ("invented", [*own, answer(world.value, [])]),
        ("lure-believed", [*own, *opens([where]), answer(lure.lure.value, [lure.text])]),
        ("quotes-for-nothing", [*own, answer(found=False, quotes=first_of(world))]),
        ("lure-quoted-for-nothing", [*own, *opens([where]), answer(found=False, quotes=[lure.text])]),
        ("never-looked", [answer(found=False)]),
        ("looked-elsewhere", [search(world), *opens(others(world)[:3]), answer(found=False)]),
        ("never-searched", [*opens(world.about), answer(found=False)]),
    ]


def _mistakes(world: World, random: Random) -> list[Case]:
    read = [min(idents) for idents, _ in world.evidence]
    quotes = [text for _, text in world.evidence]
    said, other = random.choice(shapes(world)), another(world)
    spare = [text for ident in read for text in world.articles[ident].sentences if text not in quotes]
    half = [text[: len(text) // 2] for text in quotes]
    changed = [re.sub(r"(\w+)\.?\Z", r"certainly \1.", text) for text in quotes]
    looked = [search(world), *opens(read)]
    made = [
        ("no-quote", [*looked, answer(said)]),
        ("other-sentence", [*looked, answer(said, spare[:1])]),
        ("four-sentences", [*looked, answer(said, [*quotes, *spare[:3]])]),
        ("half-sentence", [*looked, answer(said, half)]),
        ("own-words", [*looked, answer(said, [f"It is {world.value}."])]),
        ("changed-word", [*looked, answer(said, changed)]),
        ("not-opened", [search(world), *opens(others(world)[:2]), answer(said, quotes)]),
        ("other-value", [*looked, answer(other, quotes)]),
        ("both-values", [*looked, answer(f"{world.value}, {other}", quotes)]),
        ("hedged", [*looked, answer(f"perhaps {world.value}", quotes)]),
        ("denied", [*looked, answer(f"not {world.value}", quotes)]),
        ("gave-up", [*looked, answer(found=False)]),
        ("no-answer", looked),
        ("not-found-and-a-value", [*looked, answer(said, quotes, found=False)]),
        ("answers-twice", [*looked, answer(other, quotes), answer(said, quotes)]),
        ("copied-article", [*looked, answer(world.articles[read[0]].text[:190], quotes)]),
        *_lured(world, said, looked),
    ]
    if len(quotes) > 1:
        made[1] = ("one-of-two", [*looked, answer(said, quotes[:1])])
    inner = next((told.text.split('"')[1] for _, told in world.lures() if '"' in told.text), "")
    if world.family == "rumour" and inner:
        made[2::8] = [("inside-of-a-rumour", [*looked, answer(said, [inner])])] * len(made[2::8])
    twins = told_of_a_namesake(world)
    if twins:
        (where, text), *_ = twins
        made[1::8] = [("namesake-quoted", [*looked, *opens([where]), answer(said, [text])])] * len(made[1::8])
    return made


def _lured(world: World, said: str, looked: list[dict]) -> list[Case]:
    """What who takes a lure for the answer does, and who quotes whatever there is. ``said`` is right."""
    where, lure = world.lures()[0]
    quotes = [text for _, text in world.evidence]
    false = another(world) if world.kind == "name" else lure.lure.value
    tempted = [*looked, *opens([where])]
    more = [text for text in world.articles[where].sentences if text not in (*quotes, lure.text)]
    everything = [*quotes, lure.text, *more][:MOST_QUOTES]
    return [
        ("right-value-lure-quoted", [*tempted, answer(said, [lure.text])]),
        ("two-lures-quoted", [*tempted, answer(said, [lure.text, more[0]])]),
        ("right-quote-lure-value", [*tempted, answer(false, quotes)]),
        ("lure-believed", [*tempted, answer(false, [lure.text])]),
        ("lure-beside-the-quote", [*tempted, answer(false, [*quotes, lure.text])]),
        ("counts-words", [search(world), *opens([where]), answer(false, [lure.text])]),
        ("quotes-everything", [*tempted, answer(said, everything)]),
        ("everything-and-a-lure-value", [*tempted, answer(false, everything)]),
    ]


def told_of_a_namesake(world: World) -> list[tuple[str, str]]:
    """Article and sentence that tell another value of another subject with the same name."""
    [own, *_], [(_, quote), *_] = world.about, world.evidence
    name = world.articles[own].title.partition(" (")[0]
    return [
        (ident, told.text)
        for ident, article in world.articles.items()
        if ident != own and article.title.partition(" (")[0] == name
        for told in article.said
        if told.fact and told.fact.relation == world.relation and told.text != quote
    ]


def first_of(world: World) -> list[str]:
    return [world.articles[world.about[0]].sentences[0]]


def others(world: World) -> list[str]:
    """Articles that neither show the value nor are about what is asked."""
    needed = {ident for idents, _ in world.evidence for ident in idents} | set(world.about)
    return [ident for ident in world.articles if ident not in needed]


def another(world: World) -> str:
    """Another value of the same kind."""
    if world.kind in ("year", "number"):
        return f"{int(world.value.replace(',', '')) + 1}"
    asked = [name for name in world.names if name in world.prompt and name != world.value]
    if world.kind == "name":
        return asked[0]
    alike = [name for name in world.names if name not in world.prompt and name.count(" ") == world.value.count(" ")]
    return next(name for name in alike if name != world.value)


def shapes(world: World) -> list[str]:
    """Ways to write a right value."""
    value = world.value
    if world.kind == "number":
        return [
            value,
            value.replace(",", ""),
            f"It is {value}.",
            f"{value} people" if "inhabit" in world.prompt else value,
        ]
    if world.kind == "year":
        return [value, f"in {value}", f"In the year {value}.", f"The answer is {value}."]
    return [value, f"{value}.", f"It is {value}.", value.upper(), f"**{value}**"]


def copies(sentence: str) -> list[str]:
    """A sentence as people copy it."""
    return [sentence, sentence.removesuffix("."), f'"{sentence}"', f"“{sentence}”", sentence.replace(" ", "  ", 2)]


def search(world: World) -> dict:
    return {"name": "search", "arguments": {"words": world.prompt}}


def opens(idents: list[str] | tuple[str, ...]) -> list[dict]:
    return [{"name": "open", "arguments": {"id": ident}} for ident in idents]


def answer(text: str = "", quotes: list[str] | None = None, *, found: bool = True) -> dict:
    return {"name": "answer", "arguments": {"found": found, "answer": text, "quotes": quotes or []}}
