"""Families of the split ``validation``: other problems than those of training, made in the same way."""

# ruff: noqa: E501 -- the words of a prompt, and programs

from collections.abc import Callable
from math import cos, pi, sin
from random import Random

from lecture_stdin_programs.problem import Problem, filled


def spans_of_time(random: Random) -> Problem:
    least, rounded = random.randint(20, 90), random.choice([5, 10, 15])
    source = """
def solve(data):
    total, kept = 0, 0
    for line in data.split("\\n"):
        if line:
            times = [int(part[:2]) * 60 + int(part[3:]) for part in line.split()]
            span = (times[1] - times[0]) % 1440
            if span >= $LEAST:
                kept += 1
                total += (span + $UP) // $ROUNDED * $ROUNDED
    return "%02d:%02d" % (total // 60, total % 60) + " " + str(kept) + "\\n"
"""

    def draw(r: Random) -> str:
        rows = []
        for _ in range(r.randint(1, 6)):
            start = r.randint(0, 1439)
            end = (start + r.choice([least, least - 1, rounded * 9, rounded * 9 + 1, r.randint(1, 1439)])) % 1440
            rows.append(f"{start // 60:02}:{start % 60:02} {end // 60:02}:{end % 60:02}\n")
        return "".join(rows)

    words = (
        "Each line has two times of day (hh:mm), the begin and the end of a shift; a shift that ends earlier than it "
        f"begins ends on the next day. Shifts of less than {least} minutes are left out. The others are rounded up to "
        f"multiples of {rounded} minutes each. Print their sum as hh:mm (hours may be more than 24, with at least two "
        "digits) and their number."
    )
    return Problem(words, filled(source, LEAST=least, UP=rounded - 1, ROUNDED=rounded), draw)


def nested_marks(random: Random) -> Problem:
    opening = random.choice(["([", "(<", "[{"])
    closing = opening.translate(str.maketrans("([{<", ")]}>"))
    source = """
def solve(data):
    out = ""
    for line in data.split("\\n")[:-1]:
        held, deepest, bad = [], 0, 0
        for place, mark in enumerate(line, 1):
            if mark in "$OPENING":
                held.append(mark)
                deepest = max(deepest, len(held))
            elif mark in "$CLOSING":
                if held and "$OPENING".index(held[-1]) == "$CLOSING".index(mark):
                    held = held[:-1]
                elif bad == 0:
                    bad = place
        if bad == 0 and held:
            bad = len(line) + 1
        out += (str(deepest) if bad == 0 else "no " + str(bad)) + "\\n"
    return out
"""

    def balanced(r: Random, depth: int) -> str:
        if depth == 0:
            return r.choice(["a", ""])
        kind = r.randrange(2)
        inner = "".join(balanced(r, depth - 1) for _ in range(r.randint(1, 2)))
        return opening[kind] + inner + closing[kind]

    def draw(r: Random) -> str:
        lines = []
        for _ in range(r.randint(2, 4)):
            line = balanced(r, r.randint(1, 3))
            if r.random() < 0.5:
                at = r.randrange(len(line))
                line = line[:at] + r.choice(opening + closing + "b") + line[at + r.randint(0, 1) :]
            lines.append(line + "\n")
        return "".join(lines)

    words = (
        f"Each line has letters and the brackets {opening[0]}{closing[0]} and {opening[1]}{closing[1]}. Print a line for "
        "each: the largest depth of nesting if every bracket is closed by one of its kind in the right order; else no "
        "and the place (from 1) of the first closing bracket that does not fit, or the length plus one if there is no "
        "such bracket but one is never closed. A closing bracket that does not fit closes nothing."
    )
    return Problem(words, filled(source, OPENING=opening, CLOSING=closing), draw)


def outline(random: Random) -> Problem:
    fence, closed = random.randint(2, 6), random.choice([True, False])
    source = """
def solve(data):
    numbers = [float(x) for x in data.split()]
    points = list(zip(numbers[::2], numbers[1::2]))
    length, area = 0.0, 0.0
    for i in range(len(points)):
        x, y = points[i]
        nx, ny = points[(i + 1) % len(points)]
        if i < len(points) - $OPEN:
            length += ((nx - x) ** 2 + (ny - y) ** 2) ** 0.5
        area += x * ny - nx * y
    return "%.9f %.9f" % (length * $FENCE, abs(area) / 2) + "\\n"
"""

    def draw(r: Random) -> str:
        turns = sorted(r.uniform(0, 2 * pi) for _ in range(r.randint(3, 6)))
        rows = [(round(r.uniform(2, 9) * cos(turn), 2), round(r.uniform(2, 9) * sin(turn), 2)) for turn in turns]
        return "".join(f"{x} {y}\n" for x, y in (rows if r.random() < 0.5 else rows[::-1]))

    side = "every side" if closed else "every side but that from the last corner to the first"
    words = (
        "Each line has x and y of a corner of a field, in order around it; no two of its sides cross. A fence along "
        f"{side} costs {fence} for each unit of length. Print the cost of the fence and the area of the field (half the "
        "absolute value of the sum of x·y' - x'·y over its sides, where x' and y' are the next corner's). An error of "
        "at most 0.000001 is allowed."
    )
    numbers = {"FENCE": fence, "OPEN": 0 if closed else 1}
    return Problem(words, filled(source, **numbers), draw, {"compare": "numbers", "tolerance": 1e-6})


def near_points(random: Random) -> Problem:
    reach, steps = random.randint(2, 4), random.choice([True, False])
    source = """
def solve(data):
    numbers = [int(x) for x in data.split()][1:]
    points = list(zip(numbers[::2], numbers[1::2]))
    group = list(range(len(points)))
    for i, (x, y) in enumerate(points):
        for j, (u, v) in enumerate(points[:i]):
            if $DISTANCE <= $REACH and group[i] != group[j]:
                old = group[i]
                group = [group[j] if each == old else each for each in group]
    sizes = sorted([group.count(each) for each in set(group)], reverse=True)
    return str(len(sizes)) + "\\n" + " ".join(str(size) for size in sizes) + "\\n"
"""

    def draw(r: Random) -> str:
        rows = [(r.randint(-5, 5), r.randint(-5, 5)) for _ in range(r.randint(1, 7))]
        x, y = rows[0]
        rows += [(x + reach, y), (x + reach, y + reach), (x, y - reach - 1)][: r.randint(0, 3)]
        return f"{len(rows)}\n" + "".join(f"{x} {y}\n" for x, y in rows)

    how = "|x - x'| + |y - y'|" if steps else "the larger one of |x - x'| and |y - y'|"
    distance = "abs(x - u) + abs(y - v)" if steps else "max(abs(x - u), abs(y - v))"
    words = (
        f"The first line has n, the next n lines x and y of a point. Two points are neighbours if {how} is at most "
        f"{reach}. Points belong to one group if a chain of neighbours joins them. Print the number of groups, and in a "
        "second line their sizes, the largest first."
    )
    return Problem(words, filled(source, DISTANCE=distance, REACH=reach), draw)


def calculator(random: Random) -> Problem:
    rest, turn = random.choice([97, 1009, 7919]), random.choice([True, False])
    source = """
def solve(data):
    held, errors = [], 0
    for word in data.split():
        if word.isdigit():
            held.append(int(word) % $REST)
        elif word == "dup" and held:
            held.append(held[-1])
        elif word in ("+", "-", "*") and len(held) >= 2:
            one, two = held[-2], held[-1]
            value = one + two if word == "+" else $MINUS if word == "-" else one * two
            held = held[:-2] + [value % $REST]
        else:
            errors += 1
    return (" ".join(str(each) for each in held) or "empty") + "\\n" + str(errors) + "\\n"
"""

    def draw(r: Random) -> str:
        words = [r.choice([str(r.randint(0, 9999)), str(r.randint(0, 9)), "+", "-", "*", "dup"]) for _ in range(12)]
        return " ".join(words[: r.randint(1, 12)]) + "\n"

    minus = "the last minus the one before it" if turn else "the one before the last minus the last"
    words = (
        "The input is words in one line, worked off in order with a stack. A number goes onto the stack. +, - and * "
        f"take the last two numbers off and put the result on (- gives {minus}). dup puts the last number on once more. "
        f"Every number on the stack is taken modulo {rest} (from 0 to {rest - 1}). A word for which the stack holds too "
        "little does nothing and is an error. Print the stack, the last number at the end (empty if there is none), and "
        "in a second line the number of errors."
    )
    return Problem(words, filled(source, REST=rest, MINUS="two - one" if turn else "one - two"), draw)


def two_teams(random: Random) -> Problem:
    size = random.randint(1, 3)
    source = """
def solve(data):
    numbers = [int(x) for x in data.split()]
    count, pairs = numbers[0], list(zip(numbers[2::2], numbers[3::2]))
    for code in range(2 ** count):
        team = [code >> i & 1 for i in range(count)]
        if all(team[a - 1] != team[b - 1] for a, b in pairs) and $SIZE <= sum(team) <= count - $SIZE:
            return "".join("AB"[each] for each in team) + "\\n"
    return "impossible\\n"
"""
    checker = filled(
        """
def check(stdin, output, expected):
    numbers = list(map(int, stdin.split()))
    count, pairs = numbers[0], list(zip(numbers[2::2], numbers[3::2]))
    given = output.split()
    if given == ["impossible"] or expected.split() == ["impossible"]:
        return given == expected.split()
    if len(given) != 1 or len(given[0]) != count or set(given[0]) - set("AB"):
        return False
    team = given[0]
    apart = all(team[a - 1] != team[b - 1] for a, b in pairs)
    return apart and team.count("A") >= $SIZE and team.count("B") >= $SIZE
""",
        SIZE=size,
    )

    def draw(r: Random) -> str:
        count = r.randint(max(2, 2 * size - 1), 7)
        side = [r.randrange(2) for _ in range(count)]
        pairs = [r.sample(range(1, count + 1), 2) for _ in range(r.randint(1, 7))]
        if r.random() < 0.8:
            pairs = [pair for pair in pairs if side[pair[0] - 1] != side[pair[1] - 1]]
        return f"{count} {len(pairs)}\n" + "".join(f"{a} {b}\n" for a, b in pairs)

    words = (
        "The first line has the number n of people, who are called 1 to n, and m; each of the next m lines has two "
        f"people who must not be in one team. Put everybody into team A or B, with at least {size} in each. Print one "
        "word of n letters, the team of each person in order. If several are right, print any one; if none is, print "
        "impossible."
    )
    return Problem(words, filled(source, SIZE=size), draw, {"compare": "checker", "checker": checker})


VALIDATION_LEVELS: dict[str, list[Callable[[Random], Problem]]] = {
    "easy": [spans_of_time, nested_marks],
    "medium": [outline, near_points],
    "hard": [calculator, two_teams],
}
"""Difficulty, as in training."""
