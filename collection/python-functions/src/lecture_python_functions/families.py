"""Families of functions for training: each draws a function with its own numbers, its words, inputs, and what is right.

The right value is computed here, by code that no response can see. Nothing of it is taken from HumanEval.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby, pairwise
from random import Random

VOWELS = "aeiou"
WORDS = (
    "amber brick cedar delta ember flint grove haven inlet jolly koala lemon maple noble ocean pearl quilt river"
).split()


@dataclass(frozen=True)
class Function:
    """One function to be written: ``signature`` and ``words`` are told, ``value_of`` and ``draw`` are not."""

    entry: str
    signature: str
    words: str
    value_of: Callable[..., object]
    draw: Callable[[Random], list]
    """The arguments of one call."""


def digits_in_base(random: Random) -> Function:
    base = random.randint(3, 9)

    def value_of(number: int) -> int:
        total = 0
        while number:
            number, digit = divmod(number, base)
            total += digit
        return total

    words = f"Return the sum of the digits of number (0 or more) when it is written in base {base}."
    return Function("digit_sum", "number: int", words, value_of, lambda r: [r.randint(0, 10 ** r.randint(1, 6))])


def cost_to_one(random: Random) -> Function:
    divisor, price = random.randint(2, 4), random.randint(2, 9)

    def value_of(start: int) -> int:
        cost = 0
        while start != 1:
            is_divided = start % divisor == 0
            start = start // divisor if is_divided else start - 1
            cost += price if is_divided else 1
        return cost

    words = (
        f"Take steps from start (1 or more) to 1: divide by {divisor} whenever that leaves no rest, else subtract 1. A "
        f"division costs {price}, a subtraction 1. Return what it costs."
    )
    return Function("cost", "start: int", words, value_of, lambda r: [r.randint(1, 400)])


def shifted_letters(random: Random) -> Function:
    shift, kept = random.randint(2, 12), random.choice(["vowels", "nothing"])
    unchanged = VOWELS if kept == "vowels" else ""

    def value_of(text: str) -> str:
        return "".join(chr((ord(c) - 97 + shift) % 26 + 97) if c.islower() and c not in unchanged else c for c in text)

    keep = " Vowels (a, e, i, o, u) stay." if unchanged else ""
    words = (
        f"Replace each lowercase letter a-z of text by the one {shift} places later, from z on to a "
        f"again.{keep} All else stays."
    )
    return Function("encode", "text: str", words, value_of, lambda r: [_text(r)])


def run_lengths(random: Random) -> Function:
    least, first = random.randint(2, 3), random.choice([True, False])

    def value_of(text: str) -> str:
        runs = [(letter, len(list(run))) for letter, run in groupby(text)]
        return "".join(
            (f"{count}{letter}" if first else f"{letter}{count}") if count >= least else letter * count
            for letter, count in runs
        )

    order = "the count and then the letter" if first else "the letter and then the count"
    words = f"Write each run of {least} or more equal letters as {order}. Shorter runs stay as they are."
    return Function(
        "pack",
        "text: str",
        words,
        value_of,
        lambda r: ["".join(r.choice("abc") * r.randint(1, 5) for _ in range(r.randint(0, 6)))],
    )


def chosen_words(random: Random) -> Function:
    length, descending = random.randint(4, 6), random.choice([True, False])

    def value_of(sentence: str) -> list[str]:
        long = {word for word in sentence.split() if len(word) >= length}
        return sorted(long, key=lambda word: (len(word), word), reverse=descending)

    order = (
        "the longest first, and among those of one length the alphabetically last first"
        if descending
        else "the shortest first, and among those of one length in alphabetical order"
    )
    words = (
        f"Return the different words of sentence that have {length} or more letters, {order}. Words are "
        "separated by spaces."
    )
    return Function(
        "select_words",
        "sentence: str",
        words,
        value_of,
        lambda r: [
            " ".join(r.choice(WORDS)[: r.randint(2, 5)] + r.choice(["", "s", "ing"]) for _ in range(r.randint(0, 8)))
        ],
    )


def grouped_by_rest(random: Random) -> Function:
    modulus, what = random.randint(3, 6), random.choice(["sum", "largest", "count"])
    act = {"sum": sum, "largest": max, "count": len}[what]

    def value_of(numbers: list[int]) -> dict[str, int]:
        groups: dict[str, list[int]] = {}
        for number in numbers:
            groups.setdefault(str(number % modulus), []).append(number)
        return {rest: act(group) for rest, group in groups.items()}

    said = {"sum": "the sum of the numbers", "largest": "the largest number", "count": "how many numbers there are"}[
        what
    ]
    words = (
        f"Group numbers by their rest modulo {modulus}. Return a dictionary: the rest as text, and {said} "
        "with that rest. A rest that no number has is left out."
    )
    return Function("by_rest", "numbers: list[int]", words, value_of, lambda r: [_numbers(r)])


def windows(random: Random) -> Function:
    size, what = random.randint(2, 4), random.choice(["sums", "spreads", "rising"])

    def value_of(numbers: list[int]) -> object:
        found = [numbers[at : at + size] for at in range(len(numbers) - size + 1)]
        if what == "sums":
            return [sum(window) for window in found]
        if what == "spreads":
            return [max(window) - min(window) for window in found]
        return sum(all(a < b for a, b in pairwise(window)) for window in found)

    said = {
        "sums": "Return the sums of all of them, in order.",
        "spreads": "Return the largest number less the smallest for all of them, in order.",
        "rising": "Return how many of them rise, each number being larger than the one before it.",
    }[what]
    words = f"Look at every stretch of {size} neighbouring numbers. {said}"
    return Function("stretches", "numbers: list[int]", words, value_of, lambda r: [_numbers(r)])


def grid_sums(random: Random) -> Function:
    what = random.choice(["border", "diagonals", "chessboard"])

    def value_of(grid: list[list[int]]) -> int:
        size = len(grid)
        inside = {
            "border": lambda row, column: row in (0, size - 1) or column in (0, size - 1),
            "diagonals": lambda row, column: row == column or row + column == size - 1,
            "chessboard": lambda row, column: (row + column) % 2 == 0,
        }[what]
        return sum(grid[row][column] for row in range(size) for column in range(size) if inside(row, column))

    said = {
        "border": "in the first or last row or column",
        "diagonals": "on one of the two diagonals",
        "chessboard": "whose row and column, both counted from 0, have an even sum",
    }[what]
    words = (
        f"grid is a square of numbers, a list of rows. Return the sum of the numbers {said}. Each counts "
        "once; an empty grid gives 0."
    )
    return Function("grid_sum", "grid: list[list[int]]", words, value_of, _grid)


def brackets(random: Random) -> Function:
    pairs = dict(random.sample([("(", ")"), ("[", "]"), ("{", "}"), ("<", ">")], 2))
    what = random.choice(["depth", "place"])

    def value_of(text: str) -> int:
        waiting: list[str] = []
        deepest = 0
        for place, sign in enumerate(text):
            if sign in pairs:
                waiting.append(pairs[sign])
                deepest = max(deepest, len(waiting))
            elif sign in pairs.values() and (not waiting or waiting.pop() != sign):
                return place if what == "place" else -1
        if waiting:
            return len(text) if what == "place" else -1
        return deepest if what == "depth" else -1

    kinds = " and ".join(f"{left}{right}" for left, right in pairs.items())
    said = (
        "Return how deep they are nested at most, or -1 if they do not match."
        if what == "depth"
        else "Return the position, from 0, of the first bracket that closes nothing or closes the wrong "
        "kind; the length of text if one is never closed; -1 if all match."
    )
    words = f"text has brackets of the kinds {kinds}; all other characters mean nothing. {said}"
    signs = [*pairs, *pairs.values(), "x"]

    def draw(r: Random) -> list:
        if r.random() < 0.5:
            return ["".join(r.choice(signs) for _ in range(r.randint(0, 8)))]
        text = ""
        for _ in range(r.randint(1, 5)):
            left = r.choice(list(pairs))
            text = left + text + pairs[left] if r.random() < 0.6 else text + left + pairs[left]
        return [text]

    return Function("check_brackets", "text: str", words, value_of, draw)


def merged_ranges(random: Random) -> Function:
    gap, what = random.randint(0, 2), random.choice(["list", "length"])

    def value_of(ranges: list[list[int]]) -> object:
        merged: list[list[int]] = []
        for start, end in sorted(ranges):
            if merged and start - merged[-1][1] <= gap:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end])
        return merged if what == "list" else sum(end - start for start, end in merged)

    near = "touch or overlap" if gap == 0 else f"overlap or have a gap of {gap} or less between them"
    said = (
        "Return the joined ranges, sorted by their start."
        if what == "list"
        else "Return the sum of end - start over the joined ranges."
    )
    words = f"ranges is a list of [start, end]. Join those that {near}, until no two do. {said}"

    def draw(r: Random) -> list:
        starts = [r.randint(0, 30) for _ in range(r.randint(0, 6))]
        return [[[start, start + r.randint(1, 6)] for start in starts]]

    return Function("join_ranges", "ranges: list[list[int]]", words, value_of, draw)


def stack_machine(random: Random) -> Function:
    limit = random.choice([50, 100, 1000])
    second = random.choice(["swap", "drop"])

    def value_of(program: str) -> int:
        stack: list[int] = []
        for word in program.split():
            if word.lstrip("-").isdigit():
                stack.append(int(word))
            elif word == "dup" and stack:
                stack.append(stack[-1])
            elif word == "drop" and second == "drop" and stack:
                stack.pop()
            elif word == "swap" and second == "swap" and len(stack) >= 2:
                stack[-1], stack[-2] = stack[-2], stack[-1]
            elif word in ("add", "sub", "mul") and len(stack) >= 2:
                right, left = stack.pop(), stack.pop()
                stack.append({"add": left + right, "sub": left - right, "mul": left * right}[word] % limit)
        return stack[-1] if stack else -1

    said = "drop takes the top number away" if second == "drop" else "swap exchanges the two top numbers"
    words = (
        "program is words with spaces between them, for a machine with a stack. A whole number is "
        f"put on top. dup puts the top number on top again; {said}; add, sub "
        "and mul take the top number as right and the next one as left operand, and put the result "
        f"modulo {limit} on top. A word that lacks the numbers it needs does "
        "nothing. Return the top number at the end, or -1 if there is none."
    )

    def draw(r: Random) -> list:
        numbers = [str(r.randint(-9, 20)) for _ in range(r.randint(0, 3))]
        acts = [r.choice(["dup", second, "add", "sub", "mul", str(r.randint(0, 9))]) for _ in range(r.randint(1, 8))]
        return [" ".join([*numbers, *acts])]

    return Function("run_machine", "program: str", words, value_of, draw)


def votes(random: Random) -> Function:
    share, tie = random.choice([2, 3]), random.choice(["first", "alphabet"])

    def value_of(ballots: list[str]) -> str:
        counts = Counter(ballots)
        if not counts or max(counts.values()) * share <= len(ballots):
            return ""
        best = [name for name in counts if counts[name] == max(counts.values())]
        return min(best) if tie == "alphabet" else min(best, key=ballots.index)

    part = {2: "half", 3: "a third"}[share]
    said = (
        "the one that is first in the alphabet wins"
        if tie == "alphabet"
        else "the one that was named first in ballots wins"
    )
    words = (
        f"Return the name that occurs most often in ballots, if that is in more than {part} of them, else "
        f"an empty text. Of several such names {said}."
    )
    return Function(
        "winner",
        "ballots: list[str]",
        words,
        value_of,
        lambda r: [[r.choice(["ada", "ben", "cyd"]) for _ in range(r.randint(0, 7))]],
    )


def _text(random: Random) -> str:
    words = [random.choice(WORDS) for _ in range(random.randint(0, 4))]
    return " ".join(word.title() if random.random() < 0.3 else word for word in words) + random.choice(["", "!", " 7"])


def _numbers(random: Random) -> list[int]:
    return [random.randint(-15, 30) for _ in range(random.randint(0, 10))]


def _grid(random: Random) -> list:
    size = random.randint(0, 5)
    return [[[random.randint(-9, 9) for _ in range(size)] for _ in range(size)]]


LEVELS: dict[str, list[Callable[[Random], Function]]] = {
    "easy": [digits_in_base, shifted_letters, chosen_words, windows],
    "medium": [run_lengths, grouped_by_rest, grid_sums, cost_to_one],
    "hard": [votes, brackets, merged_ranges, stack_machine],
}
"""Difficulty, by how many rules a function must keep at once."""
