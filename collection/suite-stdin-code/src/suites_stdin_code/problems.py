"""Problems whose programs read standard input: words, inputs, right outputs, and code with its near misses."""

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One problem with its numbers drawn.

    ``code`` is the middle of a program: it makes ``out`` (text) of ``data`` (all of the input). ``misses`` are
    replacements in it, by name, that give another output for some inputs. ``solve`` was written apart from ``code``.
    ``judged_by`` is ``info.program`` of the task. ``reshaped`` writes a right output in other ways that the problem
    allows, ``damaged`` in ways that it does not; both are by name, and act on a variable ``out``.
    """

    name: str
    words: str
    code: str
    misses: dict[str, tuple[str, str]]
    solve: Callable[[str], str]
    draw: Callable[[random.Random], str]
    judged_by: dict
    reshaped: dict[str, str]
    damaged: dict[str, str]


TOKENS = {
    "no line end": "out = out.rstrip()",
    "spaces at line ends": "out = out.replace(chr(10), '  ' + chr(10))",
    "an empty line at the end": "out = out + chr(10) * 2",
    "carriage returns": "out = out.replace(chr(10), chr(13) + chr(10))",
}
LINES = {"no line end": TOKENS["no line end"], "an empty line at the end": TOKENS["an empty line at the end"]}
WRONG_TOKENS = {
    "one more token": "out = out + '0' + chr(10)",
    "the first token left out": "out = out.split(None, 1)[1] if len(out.split()) > 1 else ''",
    "a label before it": "out = 'Answer: ' + out",
    "twice": "out = out + out",
    "in quotes": "out = repr(out.strip())",
}


def kept_sum(rng: random.Random) -> Problem:
    least, step = rng.randint(-5, 9), rng.randint(2, 5)

    def solve(data: str) -> str:
        numbers = list(map(int, data.split()))[1:]
        kept = [each for each in numbers if each >= least and each % step]
        return f"{sum(kept)} {len(kept)}\n"

    def draw(r: random.Random) -> str:
        numbers = [r.randint(-30, 40) for _ in range(r.randint(1, 12))] + [least, least - 1, step * 3, least + step]
        r.shuffle(numbers)
        return f"{len(numbers)}\n{' '.join(map(str, numbers))}\n"

    return Problem(
        "kept sum",
        f"The input has a number n and then n whole numbers. Keep those that are at least {least} and no multiple of "
        f"{step}. Print their sum and how many they are, in one line.",
        "numbers = [int(x) for x in data.split()][1:]\n"
        f"kept = [x for x in numbers if x >= {least} and x % {step} != 0]\n"
        "out = str(sum(kept)) + ' ' + str(len(kept)) + chr(10)",
        {
            "without the bound itself": (f">= {least}", f"> {least}"),
            "multiples too": (f" and x % {step} != 0", ""),
            "n is counted in": ("[1:]", ""),
            "number of all": ("len(kept)", "len(numbers)"),
        },
        solve,
        draw,
        {"compare": "tokens"},
        TOKENS,
        WRONG_TOKENS,
    )


def word_counts(rng: random.Random) -> Problem:
    least, backwards = rng.randint(1, 2), rng.choice([True, False])

    def solve(data: str) -> str:
        found: dict[str, int] = {}
        for word in data.lower().split():
            found[word] = found.get(word, 0) + 1
        rows = [(count, word) for word, count in found.items() if count >= least]
        rows.sort(key=lambda row: row[1], reverse=backwards)
        rows.sort(key=lambda row: row[0], reverse=True)
        return "".join(f"{word} {count}\n" for count, word in rows) or "none\n"

    def draw(r: random.Random) -> str:
        words = [r.choice("oak Oak elm fir Fir ash yew box".split()) for _ in range(r.randint(4, 16))]
        return "\n".join(" ".join(words[at : at + 4]) for at in range(0, len(words), 4)) + "\n"

    way = "Z to A" if backwards else "A to Z"
    sign = "-" if backwards else ""
    return Problem(
        "word counts",
        f"The input is lines of words. Upper and lower case are the same. For each word that comes at least {least} "
        f"times, print a line with the word in lower case and its count; the largest count first, words of one count "
        f"from {way}. Print none if there is no such word.",
        "from collections import Counter\n"
        "found = Counter(data.lower().split())\n"
        f"rows = [(-n, [{sign}ord(c) for c in w] + [{'1' if backwards else '-1'}], w) for w, n in found.items() "
        f"if n >= {least}]\n"
        "rows.sort()\n"
        "out = ''.join(w + ' ' + str(-n) + chr(10) for n, _, w in rows) or 'none' + chr(10)",
        {
            "case kept": (".lower()", ""),
            "smallest first": ("(-n, ", "(n, "),
            "one time more": (f"n >= {least}", f"n > {least}"),
            "not sorted": ("rows.sort()", "pass"),
        },
        solve,
        draw,
        {"compare": "tokens"},
        TOKENS,
        WRONG_TOKENS,
    )


def running_mean(rng: random.Random) -> Problem:
    width = rng.randint(2, 4)

    def solve(data: str) -> str:
        values = [float(x) for x in data.split()[1:]]
        means = [sum(values[at : at + width]) / width for at in range(len(values) - width + 1)]
        return "".join(f"{mean:.9f}\n" for mean in means)

    def draw(r: random.Random) -> str:
        values = [round(r.uniform(-50, 50), r.randint(0, 3)) for _ in range(r.randint(width + 1, 10))]
        return f"{len(values)}\n" + "".join(f"{value:g}\n" for value in values)

    return Problem(
        "running mean",
        f"The input has n and then n numbers, one a line. Print the mean of each {width} numbers that follow each "
        "other, in order, one a line. An error of at most 0.000001 is allowed.",
        "values = [float(x) for x in data.split()[1:]]\n"
        "out = ''\n"
        f"for i in range(len(values) - {width} + 1):\n"
        f"    out += '%.9f' % (sum(values[i:i + {width}]) / {width}) + chr(10)",
        {
            "one mean too few": (f"- {width} + 1", f"- {width}"),
            "another width": (f"[i:i + {width}]", f"[i:i + {width + 1}]"),
            "two places": ("%.9f", "%.2f"),
            "sum": (f" / {width}", " / 1"),
        },
        solve,
        draw,
        {"compare": "numbers", "tolerance": 1e-6},
        TOKENS | {
            "seven places": "out = ' '.join('%.7f' % float(x) for x in out.split())",
            "exponents": "out = ' '.join('%.12e' % float(x) for x in out.split())",
            "within the tolerance": "out = ' '.join('%.10f' % (float(x) + 2e-7) for x in out.split())",
        },
        WRONG_TOKENS | {
            "not a number": "out = ' '.join('nan' for x in out.split())",
            "infinite": "out = ' '.join('inf' for x in out.split())",
            "beyond the tolerance": "out = ' '.join('%.10f' % (float(x) * 1.001 + 0.01) for x in out.split())",
        },
    )  # fmt: skip


def pair_of_sum(rng: random.Random) -> Problem:
    gap = rng.randint(1, 2)

    def solve(data: str) -> str:
        wanted, *numbers = map(int, data.split())
        for i, one in enumerate(numbers):
            for j in range(i + gap, len(numbers)):
                if one + numbers[j] == wanted:
                    return f"{i + 1} {j + 1}\n"
        return "-1\n"

    def draw(r: random.Random) -> str:
        numbers = [r.randint(0, 9) for _ in range(r.randint(3, 9))]
        wanted = sum(r.sample(numbers, 2)) if r.random() < 0.75 else 40
        return f"{wanted}\n{' '.join(map(str, numbers))}\n"

    checker = (
        "def check(stdin, output, expected):\n"
        "    wanted, *numbers = map(int, stdin.split())\n"
        "    given = output.split()\n"
        "    if expected.split() == ['-1'] or given == ['-1']:\n"
        "        return given == expected.split()\n"
        "    if len(given) != 2 or not all(each.isdigit() for each in given):\n"
        "        return False\n"
        "    i, j = map(int, given)\n"
        f"    return 1 <= i and j <= len(numbers) and j - i >= {gap} and numbers[i - 1] + numbers[j - 1] == wanted\n"
    )
    return Problem(
        "pair of a sum",
        "The first line has a number s, the second some whole numbers a1, a2, …. Print two places i < j with "
        f"ai + aj = s and j - i at least {gap}. If several pairs are right, print any one of "
        "them; if none is, print -1.",
        "s, *a = map(int, data.split())\n"
        "out = '-1' + chr(10)\n"
        "for j in range(len(a) - 1, -1, -1):\n"
        f"    for i in range(j - {gap}, -1, -1):\n"
        "        if a[i] + a[j] == s:\n"
        "            out = str(i + 1) + ' ' + str(j + 1) + chr(10)",
        {
            "counted from nought": ("str(i + 1) + ' ' + str(j + 1)", "str(i) + ' ' + str(j)"),
            "in the other order": ("str(i + 1) + ' ' + str(j + 1)", "str(j + 1) + ' ' + str(i + 1)"),
            "a place with itself": (f"j - {gap}", "j"),
            "the values": ("str(i + 1) + ' ' + str(j + 1)", "str(a[i]) + ' ' + str(a[j])"),
            "never found": ("== s", "== s + 100"),
        },
        solve,
        draw,
        {"compare": "checker", "checker": checker},
        TOKENS,
        WRONG_TOKENS | {"the first and the last": "out = '1 ' + str(len(data.split()) - 1) + chr(10)"},
    )


def turned_grid(rng: random.Random) -> Problem:
    clockwise = rng.choice([True, False])

    def solve(data: str) -> str:
        rows = data.split()[2:]
        turned = zip(*rows[::-1], strict=True) if clockwise else list(zip(*rows, strict=True))[::-1]
        return "".join("".join(row) + "\n" for row in turned)

    def draw(r: random.Random) -> str:
        height, width = r.randint(1, 4), r.randint(2, 5)
        rows = ["".join(r.choice("#.ox") for _ in range(width)) for _ in range(height)]
        return f"{height} {width}\n" + "".join(row + "\n" for row in rows)

    cell = "g[h - 1 - i][j]" if clockwise else "g[i][w - 1 - j]"
    other = "g[i][w - 1 - j]" if clockwise else "g[h - 1 - i][j]"
    return Problem(
        "turned grid",
        "The first line has the height h and the width w of a grid, the next h lines its rows. Print the grid turned a "
        f"quarter {'clockwise' if clockwise else 'anticlockwise'}.",
        "parts = data.split()\n"
        "h, w, g = int(parts[0]), int(parts[1]), parts[2:]\n"
        "out = ''\n"
        "for j in range(w):\n"
        "    for i in range(h):\n"
        f"        out += {cell}\n"
        "    out += chr(10)",
        {
            "turned the other way": (cell, other),
            "mirrored": (cell, "g[i][j]"),
            "one row too few": ("range(w)", "range(w - 1)"),
            "in one line": ("    out += chr(10)", "    pass"),
        },
        solve,
        draw,
        {"compare": "tokens"},
        TOKENS,
        {name: WRONG_TOKENS[name] for name in ("one more token", "a label before it", "twice")},
    )


def boxed_lines(rng: random.Random) -> Problem:
    fill, right = rng.choice("-.*"), rng.choice([True, False])

    def solve(data: str) -> str:
        lines = data.split("\n")[:-1]
        width = max(map(len, lines))
        rows = [f"|{line:>{width}}|" if right else f"|{line:<{width}}|" for line in lines]
        edge = f"+{fill * width}+"
        return "\n".join([edge, *rows, edge]) + "\n"

    def draw(r: random.Random) -> str:
        texts = ["to be", "or not", "a", "that is", "the  gap", "end"]
        return "".join(r.choice(texts) + "\n" for _ in range(r.randint(1, 5))) + "a b\n"

    pad = "rjust" if right else "ljust"
    return Problem(
        "boxed lines",
        f"The input is lines of text. Print them in a box: each line between two | and padded with spaces on the "
        f"{'left' if right else 'right'} to the length of the longest one, below and above a line of a +, that many "
        f"{fill} and a +. Spaces count.",
        "lines = data.split(chr(10))[:-1]\n"
        "width = max(len(line) for line in lines)\n"
        f"edge = '+' + '{fill}' * width + '+' + chr(10)\n"
        f"out = edge + ''.join('|' + line.{pad}(width) + '|' + chr(10) for line in lines) + edge",
        {
            "on the other side": (pad, "ljust" if right else "rjust"),
            "one space wider": ("in lines)\n", "in lines) + 1\n"),
            "no lower edge": (" + edge", ""),
            "single spaces": ("'|' + line.", "'|' + ' '.join(line.split()).replace('the gap', 'the gap ')."),
        },
        solve,
        draw,
        {"compare": "lines"},
        LINES,
        {
            "spaces taken out": "out = out.replace(' ', '')",
            "each line moved": "out = ''.join(' ' + line + chr(10) for line in out.splitlines())",
            "a line between": "out = out.replace(chr(10), chr(10) * 2)",
            "twice": WRONG_TOKENS["twice"],
        },
    )


PROBLEMS = (kept_sum, word_counts, running_mean, pair_of_sum, turned_grid, boxed_lines)
