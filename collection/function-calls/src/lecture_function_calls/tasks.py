"""Tasks: a household, one to three turns of requests, and twenty tools of which few are needed."""

from dataclasses import dataclass
from random import Random

from lecture_function_calls.household import Household, draw_household
from lecture_function_calls.intents import ASKED_BACK, IMPOSSIBLE, LOOKED_UP, NO_SUBSTITUTE, PLAIN, Intent, conditional
from lecture_function_calls.tools import ANSWERS, TOOLS

OFFERED = 20
CYCLE = (
    "one-call lookup several-turns two-calls missing lookup-two one-call conditional several-turns two-calls "
    "nothing-fits lookup lookup-two not-offered"
).split()
"""The families in turn. In two of fourteen no call is right."""
LEVELS = {
    "one-call": "easy",
    "nothing-fits": "easy",
    "two-calls": "medium",
    "lookup": "medium",
    "not-offered": "medium",
    "several-turns": "hard",
    "missing": "hard",
    "conditional": "hard",
    "lookup-two": "hard",
}


@dataclass(frozen=True)
class Turn:
    """What is said, and the changes that it asks for; none where nothing can be done, or something must be asked."""

    words: str
    gold: list[tuple[str, dict]]
    is_possible: bool = True
    missing: str = ""
    """What must be asked for before anything is changed."""


@dataclass(frozen=True)
class Case:
    """What a task stands for."""

    family: str
    world: Household
    turns: list[Turn]
    offered: list[str]
    """Names of the tools, without the two to answer with that every task has."""


def make_task(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments. What is right is not in the task."""
    case = case_of(split, seed, index)
    return {
        "id": f"{case.family}-{split}-{seed}-{index}",
        "prompt": case.turns[0].words,
        "info": {"split": split, "seed": seed, "index": index},
        "tags": [case.family, LEVELS[case.family]],
        "split": split,
    }


def case_of(split: str, seed: int, index: int) -> Case:
    """Household, turns and tools by number."""
    random = Random(f"calls:{split}:{seed}:{index}")
    family = CYCLE[index % len(CYCLE)]
    while True:
        world = draw_household(split, random)
        turns, needed, hidden = _turns(family, world, random, split)
        changed = [(name, sorted(map(str, given.values()))) for turn in turns for name, given in turn.gold]
        if _is_clear(world, turns) and len({repr(each) for each in changed}) == len(changed):
            break
    rest = [name for name in TOOLS if name not in {*needed, *hidden, *ANSWERS}]
    offered = [*needed, *random.sample(rest, OFFERED - len(needed))]
    random.shuffle(offered)
    return Case(family, world, turns, offered)


def _turns(family: str, world: Household, random: Random, split: str) -> tuple[list[Turn], list[str], set[str]]:
    """Turns, the tools that must be offered, and those that must not."""
    if family == "nothing-fits":
        return [Turn(random.choice(IMPOSSIBLE[split]), [], is_possible=False)], [], set()
    if family == "not-offered":
        wanted = random.choice(NO_SUBSTITUTE)(world, random, split)
        hidden = {name for name, _ in wanted.gold}
        return [Turn(wanted.words, [], is_possible=False)], sorted(set(wanted.looks)), hidden
    if family == "missing":
        wanted = random.choice(ASKED_BACK)(world, random, split)
        asked, told, missing = wanted.asks
        return [Turn(asked, [], missing=missing), Turn(told, wanted.gold)], sorted(wanted.tools), set()
    if family == "several-turns":
        makers = random.sample(PLAIN + LOOKED_UP, random.choice((2, 2, 3)))
        wanted = [maker(world, random, split) for maker in makers]
        turns = [Turn(each.words, each.gold) for each in wanted]
        if random.random() < 0.35:
            turns[-1:] = [Turn(random.choice(IMPOSSIBLE[split]), [], is_possible=False)]
            wanted = wanted[:-1]
        return turns, sorted(set().union(*(each.tools for each in wanted))), set()
    makers = {
        "one-call": lambda: [random.choice(PLAIN)],
        "two-calls": lambda: random.sample(PLAIN, 2),
        "lookup": lambda: [random.choice(LOOKED_UP)],
        "lookup-two": lambda: [random.choice(PLAIN), *random.sample(LOOKED_UP, 2)],
        "conditional": lambda: [conditional],
    }[family]()
    wanted: list[Intent] = [maker(world, random, split) for maker in makers]
    gold = [call for each in wanted for call in each.gold]
    needed = sorted(set().union(*(each.tools for each in wanted)))
    return [Turn(" ".join(each.words for each in wanted), gold)], needed, set()


def _is_clear(world: Household, turns: list[Turn]) -> bool:
    """Whether every change changes something, and no event is touched twice."""
    touched = [given["event_id"] for turn in turns for _, given in turn.gold if "event_id" in given]
    for turn in turns:
        for name, given in turn.gold:
            if name == "set_temperature" and world["rooms"][given["room"]]["degrees"] == given["degrees"]:
                return False
            if name == "set_light" and world["rooms"][given["room"]]["brightness"] == given["brightness"]:
                return False
            if name == "lock_door" and world["locked"][given["door"]] == given["locked"]:
                return False
    return len(set(touched)) == len(touched)
