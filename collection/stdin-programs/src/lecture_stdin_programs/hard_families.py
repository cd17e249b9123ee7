"""The hard families to train on; two of them have several right outputs, which a checker tells."""

# ruff: noqa: E501 -- the words of a prompt, and programs

from random import Random

from lecture_stdin_programs.problem import Problem, filled, in_line


def change_of_words(random: Random) -> Problem:
    insert, replace = random.randint(1, 3), random.randint(1, 4)
    source = """
def solve(data):
    one, two = data.split()
    row = [$INSERT * j for j in range(len(two) + 1)]
    for i, left in enumerate(one, 1):
        before, row = row, [$INSERT * i]
        for j, right in enumerate(two, 1):
            changed = before[j - 1] + (0 if left == right else $REPLACE)
            row.append(min(changed, before[j] + $INSERT, row[j - 1] + $INSERT))
    return str(row[-1]) + "\\n"
"""

    def draw(r: Random) -> str:
        one, two = ("".join(r.choice("abc") for _ in range(r.randint(1, 7))) for _ in range(2))
        return f"{one}\n{two if r.random() < 0.8 else one[::-1]}\n"

    words = (
        f"The input is two words. Adding or taking out a letter costs {insert}, changing a letter into another "
        f"{replace}. Print the smallest cost that makes the second word of the first."
    )
    return Problem(words, filled(source, INSERT=insert, REPLACE=replace), draw)


def growing_row(random: Random) -> Problem:
    least, most = random.randint(0, 2), random.randint(4, 8)
    source = """
def solve(data):
    numbers = [int(x) for x in data.split()][1:]
    best = []
    for i, number in enumerate(numbers):
        before = [best[j] for j in range(i) if $LEAST <= number - numbers[j] <= $MOST]
        best.append(1 + max(before, default=0))
    return str(max(best)) + " " + str(best.count(max(best))) + "\\n"
"""

    def draw(r: Random) -> str:
        numbers = [r.randint(0, 9)]
        for _ in range(r.randint(0, 9)):
            numbers.append(
                r.choice([r.randint(0, 20), numbers[-1] + least, numbers[-1] + most, numbers[-1] + most + 1])
            )
        return f"{len(numbers)}\n{in_line(numbers)}"

    words = (
        "The input has n and then n whole numbers. A chain takes some of them, in their order, so that each is larger "
        f"than the one before it in the chain by at least {least} and at most {most}. Print the length of the longest "
        "chain, and at how many places such a longest chain can end."
    )
    return Problem(words, filled(source, LEAST=least, MOST=most), draw)


def chosen_sum(random: Random) -> Problem:
    most = random.randint(2, 4)
    source = """
def solve(data):
    wanted, *numbers = [int(x) for x in data.split()]
    found = {(0, 0): []}
    for place, number in enumerate(numbers, 1):
        for (total, count), places in list(found.items()):
            if count < $MOST:
                found.setdefault((total + number, count + 1), places + [place])
    right = [places for (total, count), places in found.items() if total == wanted and count > 0]
    return (" ".join(map(str, right[0])) if right else "impossible") + "\\n"
"""
    checker = filled(
        """
def check(stdin, output, expected):
    wanted, *numbers = map(int, stdin.split())
    given = output.split()
    if given == ["impossible"] or expected.split() == ["impossible"]:
        return given == expected.split()
    if not all(each.isascii() and each.isdigit() and len(each) < 9 for each in given):
        return False
    places = list(map(int, given))
    fits = 1 <= len(places) <= $MOST and len(set(places)) == len(places)
    return fits and all(1 <= at <= len(numbers) for at in places) and sum(numbers[at - 1] for at in places) == wanted
""",
        MOST=most,
    )

    def draw(r: Random) -> str:
        numbers = [r.randint(-9, 20) for _ in range(r.randint(1, 8))]
        count = min(len(numbers), r.choice([1, most, most, most + 1]))
        wanted = sum(r.sample(numbers, count)) if r.random() < 0.85 else 199
        return f"{wanted}\n{in_line(numbers)}"

    words = (
        f"The first line has a number s, the second some whole numbers. Choose at least one and at most {most} of them "
        "(each place once) with the sum s, and print their places, counted from 1, in any order. If several choices "
        "are right, print any one; if there is none, print impossible."
    )
    return Problem(words, filled(source, MOST=most), draw, {"compare": "checker", "checker": checker})


def order_of_work(random: Random) -> Problem:
    before = random.choice([True, False])
    source = """
def solve(data):
    numbers = [int(x) for x in data.split()]
    count, pairs = numbers[0], list(zip(numbers[2::2], numbers[3::2]))
    done = []
    for _ in range(count):
        ready = [job for job in range(1, count + 1) if job not in done and all($OTHER in done for a, b in pairs if $THIS == job)]
        done += ready[:1]
    return (" ".join(map(str, done)) if len(done) == count else "impossible") + "\\n"
"""
    this, other = ("b", "a") if before else ("a", "b")
    checker = filled(
        """
def check(stdin, output, expected):
    numbers = list(map(int, stdin.split()))
    count, pairs = numbers[0], list(zip(numbers[2::2], numbers[3::2]))
    given = output.split()
    if given == ["impossible"] or expected.split() == ["impossible"]:
        return given == expected.split()
    if sorted(given) != sorted(map(str, range(1, count + 1))):
        return False
    return all(given.index(str($OTHER)) < given.index(str($THIS)) for a, b in pairs)
""",
        OTHER=other,
        THIS=this,
    )

    def draw(r: Random) -> str:
        count = r.randint(2, 6)
        order = r.sample(range(1, count + 1), count)
        pairs = [sorted(r.sample(range(count), 2)) for _ in range(r.randint(1, 6))]
        rows = [(order[i], order[j]) if before else (order[j], order[i]) for i, j in pairs]
        if r.random() < 0.25:
            rows.append(rows[0][::-1])
        return f"{count} {len(rows)}\n" + "".join(f"{a} {b}\n" for a, b in rows)

    rule = "a must be done before b" if before else "a must be done after b"
    words = (
        f"The first line has the number n of jobs, which are called 1 to n, and m. Each of the next m lines has a and "
        f"b: {rule}. Print the jobs in an order that keeps all of these. If several orders are right, print any one; if "
        "none is, print impossible."
    )
    return Problem(words, filled(source, THIS=this, OTHER=other), draw, {"compare": "checker", "checker": checker})
