"""Families to train on: each draws a problem with its own numbers and rules."""

# ruff: noqa: E501 -- the words of a prompt, and programs

from collections.abc import Callable
from random import Random

from lecture_stdin_programs.hard_families import change_of_words, chosen_sum, growing_row, order_of_work
from lecture_stdin_programs.problem import WORDS, Problem, filled, in_line


def scores(random: Random) -> Problem:
    least, first = random.randint(3, 9), random.choice([True, False])
    order = "in the order in which they first came" if first else "in alphabetical order"
    source = """
def solve(data):
    totals = {}
    for line in data.split("\\n")[1:]:
        if line:
            name, points = line.split()
            totals[name] = totals.get(name, 0) + int(points)
    kept = [(name, total) for name, total in totals.items() if total >= $LEAST]
    kept = sorted(kept, key=lambda row: $KEY)
    return "".join(name + " " + str(total) + "\\n" for name, total in kept) or "nobody\\n"
"""

    def draw(r: Random) -> str:
        names = r.sample(WORDS, r.randint(1, 5))
        rows = [(r.choice(names), r.choice([least, least - 1, r.randint(-4, 8)])) for _ in range(r.randint(1, 8))]
        return f"{len(rows)}\n" + "".join(f"{name} {points}\n" for name, points in rows)

    words = (
        "The first line has n. Each of the next n lines has a name and its points (a whole number). Add up the points "
        f"of each name. Print a line with name and total for each name with at least {least} points; the largest total "
        f"first, names with the same total {order}. If there is none, print nobody."
    )
    return Problem(words, filled(source, LEAST=least, KEY="-row[1]" if first else "(-row[1], row[0])"), draw)


def balance(random: Random) -> Problem:
    limit, fee = random.choice([0, 10, 25]), random.randint(1, 4)
    source = """
def solve(data):
    balance, *changes = [int(x) for x in data.split()]
    lowest, refused = balance, 0
    for change in changes:
        if balance + change < -$LIMIT:
            refused += 1
            balance -= $FEE
        else:
            balance += change
        lowest = min(lowest, balance)
    return str(balance) + " " + str(lowest) + " " + str(refused) + "\\n"
"""

    def draw(r: Random) -> str:
        start = r.randint(0, 20)
        changes = [r.choice([r.randint(-30, 20), -start - limit, -start - limit - 1]) for _ in range(r.randint(1, 9))]
        return f"{start}\n{in_line(changes)}"

    words = (
        "The first number is the balance of an account, the others are changes, in order. A change that would bring "
        f"the balance below {-limit} is refused, and costs {fee} instead, even if that brings it lower. Print the "
        "balance at the end, the lowest balance (with the one at the start), and how many changes were refused."
    )
    return Problem(words, filled(source, LIMIT=limit, FEE=fee), draw)


def windows(random: Random) -> Problem:
    length, folds = random.randint(2, 3), random.choice([True, False])
    source = """
def solve(data):
    text = data.split("\\n")[0]$FOLD
    parts = [text[i:i + $LENGTH] for i in range(len(text) - $LENGTH + 1)]
    counts = {}
    for part in parts:
        counts[part] = counts.get(part, 0) + 1
    twice = [part for part in counts if counts[part] > 1]
    return str(len(counts)) + " " + str(len(twice)) + " " + (min(twice) if twice else "-") + "\\n"
"""

    def draw(r: Random) -> str:
        return "".join(r.choice("abABc") for _ in range(r.choice([1, length, length + 1, r.randint(4, 16)]))) + "\n"

    case = "Upper and lower case are the same, written in lower case" if folds else "Upper and lower case differ"
    words = (
        f"The input is one word. Look at all its stretches of {length} letters that follow each other. {case}. Print "
        "how many different stretches there are, how many of them come more than once, and the first of those in the "
        "order of character codes (- if there is none)."
    )
    return Problem(words, filled(source, LENGTH=length, FOLD=".lower()" if folds else ""), draw)


def grid_lines(random: Random) -> Problem:
    least, by_rows = random.randint(2, 3), random.choice([True, False])
    source = """
def solve(data):
    rows = data.split()[2:]
    lines = $LINES
    best, where = 0, 0
    for number, line in enumerate(lines, 1):
        longest = max(len(run) for run in line.split("#"))
        if longest > best:
            best, where = longest, number
    return (str(where) + " " + str(best) if best >= $LEAST else "none") + "\\n"
"""

    def draw(r: Random) -> str:
        height, width = r.randint(1, 5), r.randint(1, 6)
        free = r.choice([0.3, 0.6, 0.9])
        rows = ["".join("." if r.random() < free else "#" for _ in range(width)) for _ in range(height)]
        return f"{height} {width}\n" + "".join(row + "\n" for row in rows)

    what = "row" if by_rows else "column"
    words = (
        "The first line has the height and the width of a grid, the next lines its rows, where . is free and # is not. "
        f"Find the {what} with the longest stretch of free places beside each other, the first one if several have it. "
        f"Print its number (from 1) and the length of the stretch, or none if the length is less than {least}."
    )
    lines = "rows" if by_rows else '["".join(column) for column in zip(*rows)]'
    return Problem(words, filled(source, LINES=lines, LEAST=least), draw)


def joined_ranges(random: Random) -> Problem:
    gap = random.randint(0, 2)
    source = """
def solve(data):
    numbers = [int(x) for x in data.split()][1:]
    ranges = sorted(zip(numbers[::2], numbers[1::2]))
    joined = []
    for start, end in ranges:
        if joined and start - joined[-1][1] <= $GAP:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    longest = max(end - start for start, end in joined)
    return str(len(joined)) + "\\n" + str(sum(end - start for start, end in joined)) + " " + str(longest) + "\\n"
"""

    def draw(r: Random) -> str:
        starts = [r.randint(-20, 20) for _ in range(r.randint(1, 6))]
        ranges = [(start, start + r.randint(0, 7)) for start in starts]
        if r.random() < 0.5:
            end = ranges[0][1]
            ranges += [(end + gap, end + gap + 2), (end + 2 * gap + 3, end + 2 * gap + 5)][: r.randint(1, 2)]
        return f"{len(ranges)}\n" + "".join(f"{start} {end}\n" for start, end in ranges)

    words = (
        "The first line has n, the next n lines a range each: its start and its end. Join two ranges if they overlap "
        f"or if the distance between the end of one and the start of the other is at most {gap}, until no two can be "
        "joined. Print how many ranges are left, and in a second line the sum of their lengths (end minus start) and "
        "the largest length."
    )
    return Problem(words, filled(source, GAP=gap), draw)


def steps_in_grid(random: Random) -> Problem:
    diagonal, wall = random.choice([True, False]), random.choice("#X")
    source = """
def solve(data):
    grid = data.split()[2:]
    height, width = len(grid), len(grid[0])
    steps = {(0, 0): 0}
    queue = [(0, 0)]
    for row, column in queue:
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                to = (row + down, column + right)
                if $WAYS and 0 <= to[0] < height and 0 <= to[1] < width:
                    if grid[to[0]][to[1]] != "$WALL" and to not in steps:
                        steps[to] = steps[(row, column)] + 1
                        queue.append(to)
    return str(steps.get((height - 1, width - 1), -1)) + " " + str(len(steps)) + "\\n"
"""

    def draw(r: Random) -> str:
        height, width = r.randint(1, 5), r.randint(1, 5)
        free = r.choice([0.5, 0.7, 0.9])
        rows = [["." if r.random() < free else wall for _ in range(width)] for _ in range(height)]
        rows[0][0] = "."
        return f"{height} {width}\n" + "".join("".join(row) + "\n" for row in rows)

    ways = "in the eight directions" if diagonal else "up, down, left and right"
    words = (
        f"The first line has the height and the width of a grid, the next lines its rows: . is free, {wall} is a wall. "
        f"You start in the upper left place, which is free, and step {ways}. Print the smallest number of steps to the "
        "lower right place (-1 if you cannot stand there), and how many places can be reached, the start with them."
    )
    return Problem(words, filled(source, WALL=wall, WAYS="True" if diagonal else "down * right == 0"), draw)


def group_means(random: Random) -> Problem:
    middle = random.choice([True, False])
    source = """
def solve(data):
    groups = {}
    for line in data.split("\\n"):
        if line:
            name, value = line.split()
            groups.setdefault(name, []).append(float(value))
    out = ""
    for name in sorted(groups):
        values = sorted(groups[name])
        half = len(values) // 2
        value = $VALUE
        out += name + " " + "%.10f" % value + "\\n"
    return out
"""
    median = "values[half] if len(values) % 2 == 1 else (values[half - 1] + values[half]) / 2"

    def draw(r: Random) -> str:
        names = r.sample(WORDS, r.randint(1, 3))
        return "".join(
            f"{r.choice(names)} {round(r.uniform(-20, 90), r.randint(0, 3)):g}\n" for _ in range(r.randint(1, 9))
        )

    words = (
        f"Each line has a name and a number. Print for each name a line with the name and the "
        f"{'median' if middle else 'mean'} of its numbers; names in alphabetical order."
        f"{' The median of an even number of numbers is the mean of the middle two.' if middle else ''} An error of at "
        "most 0.000001 is allowed."
    )
    value = median if middle else "sum(values) / len(values)"
    return Problem(words, filled(source, VALUE=value), draw, {"compare": "numbers", "tolerance": 1e-6})


def counters(random: Random) -> Problem:
    desks, patience = random.randint(1, 3), random.randint(3, 9)
    source = """
def solve(data):
    numbers = [int(x) for x in data.split()][1:]
    free = [0] * $DESKS
    waited, left, end = 0, 0, 0
    for arrival, needs in zip(numbers[::2], numbers[1::2]):
        desk = free.index(min(free))
        start = max(arrival, free[desk])
        if start - arrival > $PATIENCE:
            left += 1
        else:
            waited += start - arrival
            free[desk] = start + needs
            end = max(end, start + needs)
    return str(waited) + " " + str(left) + " " + str(end) + "\\n"
"""

    def draw(r: Random) -> str:
        times = sorted(r.randint(0, 12) for _ in range(r.randint(1, 9)))
        rows = [(time, r.choice([patience, patience + 1, r.randint(1, 9)])) for time in times]
        return f"{len(rows)}\n" + "".join(f"{time} {needs}\n" for time, needs in rows)

    words = (
        f"There are {desks} desks, all free at time 0. The first line has n; the next n lines, ordered by time, have a "
        "person each: the time of arrival and how long the person needs. Each in turn takes the desk that is free "
        f"first, as soon as it is free, but goes away at once if that means waiting more than {patience}. Print the "
        "sum of waiting of those who stayed, how many went away, and the time when the last of those who stayed is done."
    )
    return Problem(words, filled(source, DESKS=desks, PATIENCE=patience), draw)


LEVELS: dict[str, list[Callable[[Random], Problem]]] = {
    "easy": [scores, balance, windows, grid_lines],
    "medium": [joined_ranges, steps_in_grid, group_means, counters],
    "hard": [change_of_words, growing_row, chosen_sum, order_of_work],
}
"""Difficulty, and the families of each."""
