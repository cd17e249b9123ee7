"""Labelled cases about the validation tasks: presses that win every level, and presses or states that do not."""

from random import Random

from lecture_grid_rules.engine import shortest
from lecture_grid_rules.session import Play
from lecture_grid_rules.tasks import Game, game_in, make_task

TASKS = 45
RIGHT, WRONG = {"solved": 1.0, "efficiency": 1.0}, {"solved": 0.0, "efficiency": 0.0}


def make_cases() -> list[dict]:
    """Three right and five wrong ones a task."""
    return [case for number in range(TASKS) for case in _of_task(number)]


def _of_task(number: int) -> list[dict]:
    task = make_task("validation", 0, number)
    game, random = game_in(task["info"]), Random(f"case:{number}")
    right, wrong = _right(game, random), _wrong(game, random)
    told = [(tag, {"pressed": pressed}, "correct") for tag, pressed in random.sample(right, 3)]
    told += [(*wrong[(number + 3 * step) % len(wrong)], "incorrect") for step in range(5)]
    made = [
        {
            "id": f"{tag}-{label}-{number}",
            "task_id": task["id"],
            "state": state,
            "label": label,
            "expect": RIGHT if label == "correct" else WRONG,
            "tags": [tag, task["tags"][0]],
            "source": "made by rule",
            "licence": "Apache-2.0",
        }
        for tag, state, label in told
    ]
    return list({repr(each["state"]): each for each in made}.values())


def paths(game: Game) -> list[list[str]]:
    """The fewest presses of each level."""
    return [shortest(game.rules, level) or [] for level in game.levels]


def _right(game: Game, random: Random) -> list[tuple[str, str]]:
    """Ways to win. A button that does nothing may stand anywhere; whoever tries first still wins."""
    whole = "".join(button for path in paths(game) for button in path)
    dud = next(button for button, direction in game.rules.buttons.items() if direction is None)
    spread = "".join(button + dud * random.randint(0, 1) for button in whole[:-1]) + whole[-1]
    return [
        ("shortest", whole),
        ("tries-first", dud * 4 + whole),
        ("spread", spread),
        ("to-the-last-press", dud * (game.most_presses - len(whole)) + whole),
        ("slow-end", whole[:-1] + dud * 7 + whole[-1]),
    ]


def _wrong(game: Game, random: Random) -> list[tuple[str, dict]]:
    """What does not win, or what no session leaves."""
    steps = paths(game)
    whole = "".join(button for path in steps for button in path)
    useful = [button for button, direction in game.rules.buttons.items() if direction]
    dud = next(button for button in game.rules.buttons if button not in useful)
    opposite = {a: b for a in useful for b in useful if _are_opposite(game, a, b)}
    made = [
        ("last-missing", whole[:-1]),
        ("last-replaced", whole[:-1] + dud),
        ("first-level-only", "".join(steps[0])),
        ("one-level-missing", "".join(button for path in steps[1:] for button in path)),
        ("opposite", "".join(opposite[button] for button in whole)),
        ("too-late", dud * (game.most_presses - len(whole) + 1) + whole),
        ("goes-on", whole + dud),
        ("wins-twice", whole + whole),
        ("lower-case", whole.lower()),
        ("spaces", " ".join(whole)),
        ("other-button", f"{whole[:-1]}Z{whole[-1]}"),
        ("nothing", ""),
        ("one-button", useful[0] * 40),
        ("at-random", "".join(random.choices(list(game.rules.buttons), k=40))),
        ("arrows", "".join("UDLR"[random.randrange(4)] for _ in whole)),
    ]
    place = random.randrange(len(whole))
    made.append(("one-left-out", whole[:place] + whole[place + 1 :]))
    made.append(("one-changed", whole[:place] + opposite[whole[place]] + whole[place + 1 :]))
    found = [
        (tag, {"pressed": pressed})
        for tag, pressed in made
        if not _wins(game, pressed) or tag in ("goes-on", "wins-twice", "too-late")
    ]
    return [
        *found,
        ("claims", {"pressed": "", "solved": 1.0, "levels": 3, "won": True}),
        ("a-list", {"pressed": list(whole)}),
        ("no-presses", {"levels": len(steps)}),
    ]


def _wins(game: Game, pressed: str) -> bool:
    if not set(pressed) <= set(game.rules.buttons):
        return False  # no session takes these letters
    play = Play(game)
    for button in pressed:
        play.press(button)
    return play.is_won


def _are_opposite(game: Game, one: str, other: str) -> bool:
    (row, column), back = game.rules.buttons[one], game.rules.buttons[other]
    return back == (-row, -column)
