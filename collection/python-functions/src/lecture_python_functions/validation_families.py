"""Families of functions for validation: other ones than those of training, made in the same way."""

from collections.abc import Callable
from random import Random

from lecture_python_functions.families import Function


def reversed_blocks(random: Random) -> Function:
    size, rest_too = random.randint(2, 6), random.choice([True, False])

    def value_of(numbers: list[int]) -> list[int]:
        blocks = [numbers[at : at + size] for at in range(0, len(numbers), size)]
        return [each for block in blocks for each in (block[::-1] if rest_too or len(block) == size else block)]

    rest = "is reversed too" if rest_too else "stays as it is"
    words = f"Reverse each block of {size} numbers, from the start on. A shorter rest at the end {rest}."
    return Function("turn_blocks", "numbers: list[int]", words, value_of, lambda r: [_numbers(r)])


def rises(random: Random) -> Function:
    back, least = random.randint(1, 3), random.randint(1, 6)

    def value_of(numbers: list[int]) -> list[int]:
        return [at for at in range(back, len(numbers)) if numbers[at] - numbers[at - back] >= least]

    words = (
        f"Give the places (0 is the first) of the numbers that are at least {least} larger than the number {back} "
        "places before them. Numbers that have none so far before them are left out."
    )
    return Function("find_rises", "numbers: list[int]", words, value_of, lambda r: [_numbers(r)])


def read_down(random: Random) -> Function:
    width, backwards = random.randint(2, 5), random.choice([True, False])

    def value_of(text: str) -> str:
        columns = [text[start::width] for start in range(width)]
        return "".join(column[::-1] if backwards else column for column in columns)

    way = "from the bottom to the top" if backwards else "from the top to the bottom"
    words = (
        f"Write text into rows of {width} letters; the last row may be shorter. Read it by columns, the left one "
        f"first, each {way}."
    )
    return Function("read_columns", "text: str", words, value_of, lambda r: [_letters(r, r.randint(3, 20))])


def account(random: Random) -> Function:
    limit, fee = random.choice([0, 20, 50, 100]), random.randint(1, 9)

    def value_of(start: int, changes: list[int]) -> list[int]:
        balance, refused = start, 0
        for change in changes:
            if change < 0 and balance + change < -limit:
                refused += 1
                balance -= fee
            else:
                balance += change
        return [balance, refused]

    words = (
        f"An account begins with start. Each change is added, but a negative one that would bring it below {-limit} is "
        f"refused and costs {fee} instead, even if the fee itself brings it lower. Give the balance at the end and how "
        "many changes were refused, as a list."
    )
    return Function(
        "keep_account",
        "start: int, changes: list[int]",
        words,
        value_of,
        lambda r: [r.randint(0, 90), [r.randint(-90, 60) for _ in range(r.randint(2, 9))]],
    )


def kept_events(random: Random) -> Function:
    pause, counts_dropped = random.randint(3, 9), random.choice([True, False])

    def value_of(events: list[list]) -> list[list]:
        last: dict[str, int] = {}
        kept = []
        for time, name in events:
            is_kept = name not in last or time - last[name] >= pause
            if is_kept:
                kept.append([time, name])
            if is_kept or counts_dropped:
                last[name] = time
        return kept

    since = "event of the same name, kept or not" if counts_dropped else "kept event of the same name"
    words = (
        f"events are pairs of a time and a name, in the order of time. Keep an event if at least {pause} have passed "
        f"since the last {since}, or if there was none. Give the kept ones."
    )

    def draw(r: Random) -> list:
        times = sorted(r.sample(range(40), r.randint(4, 12)))
        return [[[time, r.choice("abc")] for time in times]]

    return Function("thin_out", "events: list[list]", words, value_of, draw)


def robot(random: Random) -> Function:
    size, wraps, half = random.randint(4, 7), random.choice([True, False]), random.choice([True, False])

    def value_of(commands: str) -> list[int]:
        x, y, dx, dy = 0, 0, 0, 1
        for command in commands:
            if command == "L":
                dx, dy = -dy, dx
            elif command == "R":
                dx, dy = dy, -dx
            elif command == "B" and half:
                dx, dy = -dx, -dy
            else:
                to = (x + dx, y + dy)
                inside = all(0 <= each < size for each in to)
                x, y = (to[0] % size, to[1] % size) if inside or wraps else (x, y)
        return [x, y]

    edge = "comes in again at the other side" if wraps else "stays where it is"
    turn = " B turns it round." if half else ""
    words = (
        f"A robot stands at x = 0, y = 0 of a field with {size} by {size} places and looks up (y grows). F goes one "
        f"place ahead, L and R turn it left and right.{turn} A step over the edge: it {edge}. Give x and y at the end."
    )
    letters = "FFFLRB" if half else "FFFLR"
    return Function(
        "drive",
        "commands: str",
        words,
        value_of,
        lambda r: ["".join(r.choice(letters) for _ in range(r.randint(4, 24)))],
    )


def _numbers(random: Random) -> list[int]:
    return [random.randint(-20, 20) for _ in range(random.randint(2, 14))]


def _letters(random: Random, length: int) -> str:
    return "".join(random.choice("abcdefghij") for _ in range(length))


VALIDATION_LEVELS: dict[str, list[Callable[[Random], Function]]] = {
    "easy": [reversed_blocks, rises],
    "medium": [read_down, account],
    "hard": [kept_events, robot],
}
"""Difficulty, as in training."""
