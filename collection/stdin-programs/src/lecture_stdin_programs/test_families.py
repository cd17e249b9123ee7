"""Families of the split ``test``: other problems than those of training and validation."""

# ruff: noqa: E501 -- the words of a prompt, and programs

from collections.abc import Callable
from random import Random

from lecture_stdin_programs.problem import WORDS, Problem, filled, in_line


def ranks(random: Random) -> Problem:
    dense, bonus = random.choice([True, False]), random.randint(1, 5)
    source = """
def solve(data):
    rows = []
    for line in data.split("\\n")[1:]:
        if line:
            name, points, late = line.split()
            rows.append((int(points) - $BONUS * int(late), name))
    out = ""
    for points, name in sorted(rows, key=lambda row: (-row[0], row[1])):
        rank = 1 + len($ABOVE)
        out += str(rank) + " " + name + " " + str(points) + "\\n"
    return out
"""
    above = "[each for each, _ in rows if each > points]"

    def draw(r: Random) -> str:
        names = r.sample(WORDS, r.randint(1, 6))
        rows = [(name, r.choice([10, 10 + bonus, r.randint(0, 30)]), r.choice([0, 0, 1, 2])) for name in names]
        return f"{len(rows)}\n" + "".join(f"{name} {points} {late}\n" for name, points, late in rows)

    rule = (
        "one more than the number of different larger results"
        if dense
        else "one more than the number of larger results"
    )
    words = (
        "The first line has n, the next n lines a name, points, and the number of days late. Each day late takes "
        f"{bonus} points off. The rank of a result is {rule}. Print rank, name and result of each in a line, the largest "
        "result first, the same results in alphabetical order."
    )
    return Problem(words, filled(source, BONUS=bonus, ABOVE=f"set({above})" if dense else above), draw)


def packed_text(random: Random) -> Problem:
    least, most = random.randint(2, 3), random.randint(5, 9)
    source = """
def solve(data):
    text = data.split("\\n")[0]
    runs = []
    for letter in text:
        if runs and runs[-1][0] == letter and runs[-1][1] < $MOST:
            runs[-1][1] += 1
        else:
            runs.append([letter, 1])
    packed = "".join(letter + str(count) if count >= $LEAST else letter * count for letter, count in runs)
    return packed + " " + str(len(text) - len(packed)) + "\\n"
"""

    def draw(r: Random) -> str:
        runs = [r.choice("abc") * r.choice([1, least - 1, least, most, most + 1]) for _ in range(r.randint(1, 5))]
        return "".join(runs) + "\n"

    words = (
        f"The input is one word. A run is the same letter several times after each other, at most {most}; what goes "
        f"beyond that begins a new run. Write a run of at least {least} letters as the letter and its length, and a "
        "shorter one as it is. Print the result, and by how many characters it is shorter than the word (the number "
        "may be 0)."
    )
    return Problem(words, filled(source, MOST=most, LEAST=least), draw)


def asked_ranges(random: Random) -> Problem:
    step, sign = random.randint(2, 4), random.choice([True, False])
    source = """
def solve(data):
    lines = data.split("\\n")
    numbers = [int(x) for x in lines[1].split()]
    out = ""
    for line in lines[2:]:
        if line:
            kind, left, right = line.split()
            part = numbers[int(left) - 1:int(right)]
            if kind == "sum":
                out += str(sum(part)) + "\\n"
            elif kind == "max":
                out += str(max(part)) + "\\n"
            elif kind == "step":
                out += str(sum(part[::$STEP])) + "\\n"
            else:
                numbers[int(left) - 1] = $SET
    return out
"""

    def draw(r: Random) -> str:
        count = r.randint(1, 9)
        numbers = [r.randint(-9, 9) for _ in range(count)]
        asked = []
        for kind in [*(r.choice(["sum", "max", "step", "set"]) for _ in range(r.randint(1, 6))), "sum", "step"]:
            left = r.randint(1, count)
            right = r.randint(-9, 9) if kind == "set" else r.choice([left, count, r.randint(left, count)])
            asked.append(f"{kind} {left} {right}\n")
        return f"{count} {len(asked)}\n{in_line(numbers)}{''.join(asked)}"

    change = "adds v to the i-th number" if sign else "makes v of the i-th number"
    words = (
        "The first line has n and m, the second n whole numbers, each of the next m lines a request: sum l r or max l r "
        f"asks for the sum or the largest of the numbers from place l to place r (from 1, both with them), step l r for "
        f"the sum of every {step}th of them, beginning with the one at l; set i v {change} and prints nothing. Print "
        "the answers in order, a line each."
    )
    at = "numbers[int(left) - 1] + int(right)" if sign else "int(right)"
    return Problem(words, filled(source, STEP=step, SET=at), draw)


def way_down(random: Random) -> Problem:
    reach, highest = random.randint(1, 2), random.choice([True, False])
    source = """
def solve(data):
    rows = [[int(x) for x in line.split()] for line in data.split("\\n")[1:] if line]
    best = rows[0]
    for row in rows[1:]:
        best = [value + $PICK(best[max(0, i - $REACH):i + $REACH + 1]) for i, value in enumerate(row)]
    value = $PICK(best)
    return str(value) + " " + str(best.index(value) + 1) + "\\n"
"""

    def draw(r: Random) -> str:
        height, width = r.randint(1, 5), r.randint(1, 6)
        rows = [[r.randint(-9, 20) for _ in range(width)] for _ in range(height)]
        return f"{height} {width}\n" + "".join(map(in_line, rows))

    words = (
        "The first line has the height and the width of a table of whole numbers, which follows. A way begins at any "
        f"place of the first row and goes one row down each step, to a column that differs by at most {reach}. Print the "
        f"{'largest' if highest else 'smallest'} sum of the numbers on a way to the last row, and the column (from 1) "
        "where such a way ends, the first one if there are several."
    )
    return Problem(words, filled(source, PICK="max" if highest else "min", REACH=reach), draw)


def smoothed(random: Random) -> Problem:
    weight, skip = random.choice([0.2, 0.25, 0.4]), random.randint(15, 30)
    source = """
def solve(data):
    values = [float(x) for x in data.split()]
    level, worst = values[0], 0.0
    out = ""
    for value in values[1:]:
        off = abs(value - level)
        if off <= $SKIP:
            level = $WEIGHT * value + (1 - $WEIGHT) * level
        worst = max(worst, off)
        out += "%.9f" % level + "\\n"
    return out + "%.9f" % worst + "\\n"
"""

    def draw(r: Random) -> str:
        values = [round(r.uniform(0, 20), 1)]
        for _ in range(r.randint(1, 7)):
            values.append(r.choice([round(r.uniform(0, 20), 2), values[0] + skip, values[0] + skip + 4]))
        return "".join(f"{value:g}\n" for value in values)

    words = (
        "The input is numbers, one a line. The level begins as the first one. For each later number: if it differs from "
        f"the level by at most {skip}, the new level is {weight} times the number plus {1 - weight:g} times the level; "
        "else the level stays. Print the level after each of them, and at the end the largest difference between a "
        "number and the level before it. An error of at most 0.000001 is allowed."
    )
    return Problem(words, filled(source, SKIP=skip, WEIGHT=weight), draw, {"compare": "numbers", "tolerance": 1e-6})


def living_cells(random: Random) -> Problem:
    born, wraps = random.choice([(2,), (1, 2), (2, 3)]), random.choice([True, False])
    source = """
def solve(data):
    lines = data.split("\\n")
    steps, cells = int(lines[0]), [int(x) for x in lines[1]]
    for _ in range(steps):
        size = len(cells)
        near = [sum($NEIGHBOUR for k in (-2, -1, 1, 2)) for i in range(size)]
        cells = [int(near[i] in $BORN or (cells[i] == 1 and near[i] == 4)) for i in range(size)]
    return "".join(str(each) for each in cells) + " " + str(sum(cells)) + "\\n"
"""

    def draw(r: Random) -> str:
        return f"{r.choice([0, 1, 1, 2, 3, 5])}\n{''.join(r.choice('011') for _ in range(r.randint(5, 12)))}\n"

    edge = "the row is a ring" if wraps else "there is nothing beyond the ends"
    neighbour = "cells[(i + k) % size]" if wraps else "cells[i + k] if 0 <= i + k < size else 0"
    numbers = " or ".join(map(str, born))
    words = (
        "The first line has a number of steps, the second a row of cells, 1 for a living one and 0 for a dead one. The "
        f"neighbours of a cell are the two on its left and the two on its right; {edge}. In each step, all at once, a "
        f"cell lives if {numbers} of its neighbours live, or if it lives and all four places beside it live; else it is "
        "dead. Print the row at the end and how many live."
    )
    return Problem(words, filled(source, NEIGHBOUR=neighbour, BORN=str(born)), draw)


def shared_load(random: Random) -> Problem:
    apart = random.randint(0, 4)
    source = """
def solve(data):
    weights = [int(x) for x in data.split()]
    for code in range(2 ** len(weights)):
        left = [i for i in range(len(weights)) if code >> i & 1]
        load = sum(weights[i] for i in left)
        if abs(sum(weights) - 2 * load) <= $APART:
            return " ".join([str(len(left))] + [str(i + 1) for i in left]) + "\\n"
    return "impossible\\n"
"""
    checker = filled(
        """
def check(stdin, output, expected):
    weights = list(map(int, stdin.split()))
    given = output.split()
    if given == ["impossible"] or expected.split() == ["impossible"]:
        return given == expected.split()
    if not given or not all(each.isascii() and each.isdigit() and len(each) < 9 for each in given):
        return False
    count, *places = map(int, given)
    if len(places) != count or len(set(places)) != count or not all(1 <= at <= len(weights) for at in places):
        return False
    return abs(sum(weights) - 2 * sum(weights[at - 1] for at in places)) <= $APART
""",
        APART=apart,
    )

    def draw(r: Random) -> str:
        weights = [r.randint(1, 12) for _ in range(r.randint(1, 8))]
        if r.random() < 0.7:
            other = r.randint(0, sum(weights) - 1) if len(weights) > 4 else 0
            weights.append(max(1, sum(weights) - 2 * other + r.choice([apart, -apart, apart + 1])))
        return in_line(weights)

    words = (
        "The input is weights, whole numbers. Some go to the left, the others to the right (one side may be empty), so "
        f"that the sums of the two sides differ by at most {apart}. Print how many go to the left and then their places, "
        "counted from 1, in any order, all in one line. If several ways are right, print any one; if none is, print "
        "impossible."
    )
    return Problem(words, filled(source, APART=apart), draw, {"compare": "checker", "checker": checker})


def drawn_bars(random: Random) -> Problem:
    mark, scale = random.choice("#*="), random.randint(2, 5)
    source = """
def solve(data):
    rows = [line.split() for line in data.split("\\n") if line]
    width = max(len(name) for name, _ in rows)
    out = ""
    for name, value in rows:
        bar = "$MARK" * ((int(value) + $HALF) // $SCALE)
        out += " " * (width - len(name)) + name + " |" + bar + ("+" if int(value) > 9 * $SCALE else "") + "\\n"
    return out + " " * width + " +" + "-" * 9 + "\\n"
"""

    def draw(r: Random) -> str:
        names = [r.choice(WORDS) * r.randint(1, 2) for _ in range(r.randint(1, 5))]
        values = [0, scale // 2, scale - 1, 9 * scale, 9 * scale + 1, r.randint(1, 40)]
        return "".join(f"{name} {r.choice(values)}\n" for name in names)

    words = (
        "Each line has a name and a whole number of at least 0. Print a line for each: the name, with spaces before it "
        f"up to the length of the longest name, a space, |, and a {mark} for each full {scale} in the number plus "
        f"{scale // 2}; and a + behind that if the number is larger than {9 * scale}. The last line has spaces of the "
        "longest name's length, a space, + and nine -. Spaces count, except at the end of a line."
    )
    return Problem(words, filled(source, MARK=mark, HALF=scale // 2, SCALE=scale), draw, {"compare": "lines"})


TEST_LEVELS: dict[str, list[Callable[[Random], Problem]]] = {
    "easy": [ranks, packed_text, drawn_bars],
    "medium": [asked_ranges, way_down, smoothed],
    "hard": [living_cells, shared_load],
}
"""Difficulty, as in training."""
