"""Thirty-two functions over texts and records that the package does not have, with tests and inputs to draw."""
# ruff: noqa: B905, E501, PLC3002, RUF007 -- programs as solvers write them, and one line a task

from collections.abc import Callable
from random import Random

from fresh.numbers import ints

TASKS: list[tuple[Callable, list[list], Callable[[Random], list]]] = []


def task(tests: list[list], draw: Callable[[Random], list]) -> Callable[[Callable], Callable]:
    """``tests``: argument lists as an author would choose them. ``draw``: any input that the docstring allows."""

    def keep(function: Callable) -> Callable:
        TASKS.append((function, tests, draw))
        return function

    return keep


def text(r: Random, letters: str, least: int, most: int) -> str:
    return "".join(r.choice(letters) for _ in range(r.randint(least, most)))


def words(r: Random, least: int, most: int, letters: str = "abcde") -> list[str]:
    return [text(r, letters, 1, 5) for _ in range(r.randint(least, most))]


@task([["hello"], [""], ["AEIOU"], ["rhythm"], ["Banana"]], lambda r: [text(r, "aeioubcdAEBC ", 0, 12)])
def consonants(word):
    """How many letters of the word are consonants, capital or not."""
    return sum(letter.isalpha() and letter.lower() not in "aeiou" for letter in word)


@task([["the cat sat"], ["one"], [""], ["a bb ccc bb"]], lambda r: [" ".join(words(r, 0, 6))])
def longest_word(sentence):
    """The longest word, the first of several; empty where there is none."""
    best = ""
    for word in sentence.split():
        if len(word) > len(best):
            best = word
    return best


@task(
    [["abc", "bca"], ["a", "b"], ["", ""], ["aab", "abb"], ["Dusty", "study"]],
    lambda r: (lambda a: [a, r.choice([text(r, "abAB", 0, 5), "".join(r.sample(a, len(a)))])])(text(r, "abAB", 0, 5)),
)
def are_anagrams(first, second):
    """Whether two words have the same letters equally often, capitals or not."""
    return sorted(first.lower()) == sorted(second.lower())


@task([["aaabbc"], ["abc"], [""], ["zzzz"]], lambda r: [text(r, "abc", 0, 12)])
def squeezed(word):
    """The word with every run of equal letters as one letter."""
    result = ""
    for letter in word:
        if not result or result[-1] != letter:
            result += letter
    return result


@task([["abcab"], ["aaaa"], [""], ["abcdef"], ["pwwkew"]], lambda r: [text(r, "abcdef", 0, 10)])
def distinct_stretch(word):
    """The length of the longest stretch of the word without a repeated letter."""
    best = start = 0
    for end in range(len(word)):
        while word[end] in word[start:end]:
            start += 1
        best = max(best, end + 1 - start)
    return best


@task([["hello world"], ["a"], [""], ["two  spaces"]], lambda r: [text(r, "abAB  ", 0, 12)])
def titled(sentence):
    """Each word with a capital first letter and small ones behind it, one space between words."""
    return " ".join(word[0].upper() + word[1:].lower() for word in sentence.split())


@task([["camelCaseName"], ["simple"], ["aB"], [""]], lambda r: [text(r, "abcABC", 0, 10)])
def snake(name):
    """A name with capitals as a name with underscores: each capital becomes an underscore and a small letter."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


@task([["some_long_name"], ["one"], ["a_b"], [""]], lambda r: ["_".join(words(r, 0, 4))])
def camel(name):
    """A name with underscores as one with capitals at the beginning of each part but the first."""
    first, *rest = name.split("_")
    return first + "".join(part[0].upper() + part[1:] for part in rest)


@task([["a,b;c"], ["abc"], [""], [",;"], ["x;y;z"]], lambda r: [text(r, "ab,;", 0, 10)])
def pieces(line):
    """The parts between commas and semicolons that are not empty."""
    return [part for part in line.replace(";", ",").split(",") if part]


@task(
    [["1.2.3", "1.2.4"], ["2.0", "1.9.9"], ["1.0", "1.0.0"], ["1", "1"]],
    lambda r: [".".join(map(str, ints(r, 0, 3, 1, 3))), ".".join(map(str, ints(r, 0, 3, 1, 3)))],
)
def newer(first, second):
    """1 where the first version is newer, -1 where the second is, else 0; a missing part is 0."""
    a, b = [int(part) for part in first.split(".")], [int(part) for part in second.split(".")]
    size = max(len(a), len(b))
    a, b = a + [0] * (size - len(a)), b + [0] * (size - len(b))
    if a == b:
        return 0
    return 1 if a > b else -1


@task(
    [["HELLO", 3], ["xyz", 3], ["", 5], ["Ab z", 1], ["mix-UP", 26]],
    lambda r: [text(r, "abxyzABXYZ -1", 0, 8), r.randint(0, 30)],
)
def shifted_back(message, steps):
    """Every letter moved back in the alphabet by steps, round its beginning; other signs stay."""
    result = ""
    for sign in message:
        if sign.isascii() and sign.isalpha():
            base = ord("A") if sign.isupper() else ord("a")
            result += chr((ord(sign) - base - steps) % 26 + base)
        else:
            result += sign
    return result


@task(
    [["Anna"], ["ab"], [""], ["A man, a plan"], ["No on"]],
    lambda r: (lambda a: [r.choice([a, a + a[::-1], a + "," + a[::-1]])])(text(r, "abAB ,", 0, 6)),
)
def reads_both_ways(sentence):
    """Whether its letters read the same from both ends, whatever else stands between them."""
    letters = [sign.lower() for sign in sentence if sign.isalpha()]
    return letters == letters[::-1]


@task(
    [["abcd", 2], ["abc", 2], ["", 3], ["a", 5], ["abcdefg", 3]], lambda r: [text(r, "abcdef", 0, 12), r.randint(1, 5)]
)
def chunks(word, size):
    """The word in pieces of size letters, the last may be shorter."""
    return [word[place : place + size] for place in range(0, len(word), size)]


@task(
    [["abc", "axc"], ["", ""], ["aaa", "bbb"], ["abcd", "abdc"]],
    lambda r: (lambda n: [text(r, "ab", n, n), text(r, "ab", n, n)])(r.randint(0, 8)),
)
def unequal_places(first, second):
    """At how many places two words of equal length differ."""
    return sum(a != b for a, b in zip(first, second))


@task(
    [[["flower", "flow", "flat"]], [["a"]], [["x", "y"]], [["same", "same"]]],
    lambda r: [[text(r, "ab", 0, 2).join(["a", "b"]) for _ in range(r.randint(1, 4))]],
)
def common_start(names):
    """The longest beginning that all names share."""
    shared = names[0]
    for name in names[1:]:
        while not name.startswith(shared):
            shared = shared[:-1]
    return shared


@task(
    [["3 4 +"], ["5"], ["2 3 4 * +"], ["9 4 -"], ["1 2 - 3 *"]],
    lambda r: [
        r.choice(["{} {} +", "{} {} {} * -", "{} {} - {} *", "{} {} * {} {} - +"]).format(
            *[r.randint(0, 9) for _ in range(4)]
        )
    ],
)
def backwards_sum(line):
    """The value of a sum whose signs + - * stand behind their two numbers."""
    stack = []
    for part in line.split():
        if part in "+-*":
            b, a = stack.pop(), stack.pop()
            stack.append(a + b if part == "+" else a - b if part == "-" else a * b)
        else:
            stack.append(int(part))
    return stack[0]


@task([["a1b22"], ["abc"], [""], ["007 and 3"]], lambda r: [text(r, "a12 3-", 0, 12)])
def numbers_in(line):
    """The whole numbers that are written in the line, in their order."""
    found, current = [], ""
    for sign in line + " ":
        if sign.isdigit():
            current += sign
        elif current:
            found.append(int(current))
            current = ""
    return found


@task([["password"], ["Passw0rd"], ["abc1A"], ["ABCDEFG1"], ["Abcdefgh1"]], lambda r: [text(r, "abAB12", 0, 12)])
def is_strong(secret):
    """Whether it has eight signs or more, a small letter, a capital and a digit."""
    return (
        len(secret) >= 8
        and any(s.islower() for s in secret)
        and any(s.isupper() for s in secret)
        and any(s.isdigit() for s in secret)
    )


@task([["4539578763621486"], ["79927398713"], ["79927398710"], ["0"], ["18"]], lambda r: [text(r, "0123456789", 1, 10)])
def checks_out(number):
    """Whether the digits pass the check of Luhn: from the right every second one is doubled, less 9 above 9; 10 divides the sum."""
    total = 0
    for place, digit in enumerate(reversed(number)):
        value = int(digit)
        if place % 2 == 1:
            value *= 2
            if value > 9:
                value -= 9
        total += value
    return total % 10 == 0


@task([["aabbb"], ["abc"], [""], ["ccaab"]], lambda r: [text(r, "abcd", 0, 9)])
def by_frequency(word):
    """The different letters, the most frequent first, equally frequent ones by the alphabet."""
    return sorted(set(word), key=lambda letter: (-word.count(letter), letter))


@task([["ab", 3], ["x", 1], ["", 2], ["abc", 0]], lambda r: [text(r, "abc", 0, 5), r.randint(0, 4)])
def stretched(word, times):
    """Every letter times times."""
    return "".join(letter * times for letter in word)


@task([["hello", "l"], ["abc", "x"], ["aaa", "a"], ["", "b"]], lambda r: [text(r, "abc", 0, 10), r.choice("abcd")])
def places_of(word, letter):
    """The places, from 0, at which the letter stands."""
    return [place for place, other in enumerate(word) if other == letter]


@task([["3d"], ["2h"], ["45m"], ["10s"], ["1d"]], lambda r: [f"{r.randint(0, 99)}{r.choice('dhms')}"])
def in_seconds(span):
    """A span such as 3d, 2h, 45m or 10s in seconds."""
    units = {"d": 86400, "h": 3600, "m": 60, "s": 1}
    return int(span[:-1]) * units[span[-1]]


@task(
    [["<b>bold</b>"], ["plain"], ["a<br>b"], [""]],
    lambda r: [
        text(r, "ab", 0, 3) + r.choice(["", "<b>", "</i>", "<>"]) + text(r, "ab", 0, 3) + r.choice(["", "<br>"])
    ],
)
def without_tags(page):
    """The text without what stands between < and >, these included."""
    result, inside = "", False
    for sign in page:
        if sign == "<":
            inside = True
        elif sign == ">":
            inside = False
        elif not inside:
            result += sign
    return result


@task([[["b", "a", "b"]], [[]], [["x"]], [["c", "c", "a", "a"]]], lambda r: [words(r, 0, 8, "ab")])
def first_repeated(names):
    """The name whose second mention comes first; None where each is mentioned once."""
    seen = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


@task(
    [["the quick the lazy the", 2], ["a b c", 1], ["", 3], ["x x y", 5]],
    lambda r: [" ".join(words(r, 0, 10, "ab")), r.randint(1, 4)],
)
def frequent_words(sentence, least):
    """The words that occur at least least times, by the alphabet."""
    parts = sentence.split()
    return sorted({word for word in parts if parts.count(word) >= least})


@task(
    [[{"a": 1, "b": 2}, {"b": 3}], [{}, {}], [{"x": 5}, {}], [{}, {"y": 1}]],
    lambda r: [
        {k: r.randint(0, 9) for k in "abcd" if r.random() < 0.5},
        {k: r.randint(0, 9) for k in "abcd" if r.random() < 0.5},
    ],
)
def added(first, second):
    """One record with the sums of both; a missing name counts 0."""
    return {name: first.get(name, 0) + second.get(name, 0) for name in sorted({*first, *second})}


@task(
    [[[["ann", 30], ["bob", 25]], 26], [[], 5], [[["x", 9]], 9], [[["b", 40], ["a", 40], ["c", 1]], 2]],
    lambda r: [[[text(r, "abc", 1, 2), r.randint(1, 60)] for _ in range(r.randint(0, 6))], r.randint(1, 60)],
)
def names_from(people, age):
    """The names of all who are at least age years old, by the alphabet."""
    return sorted(name for name, years in people if years >= age)


@task([["1010"], ["0"], ["111"], ["10000"]], lambda r: [text(r, "01", 1, 10)])
def gray(bits):
    """The binary number as its Gray code: the first bit, then each bit's difference from the one before."""
    return bits[0] + "".join("1" if a != b else "0" for a, b in zip(bits, bits[1:]))


@task(
    [["kitten", "sitting"], ["", "abc"], ["same", "same"], ["flaw", "lawn"]],
    lambda r: [text(r, "abc", 0, 6), text(r, "abc", 0, 6)],
)
def edits(first, second):
    """The fewest single letters to put in, take out or replace that make one word the other."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        new = [i]
        for j, b in enumerate(second, 1):
            new.append(min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (a != b)))
        row = new
    return row[-1]


@task(
    [["x=1&y=2"], ["a="], [""], ["k=v&k=w"]],
    lambda r: ["&".join(f"{r.choice('abc')}={text(r, 'xy1', 0, 2)}" for _ in range(r.randint(0, 4)))],
)
def query_values(query):
    """The values of a query such as x=1&y=2 by name; of several the last, empty ones are left out."""
    found = {}
    for part in query.split("&"):
        name, _, value = part.partition("=")
        if value:
            found[name] = value
    return found


@task([["RRULD"], [""], ["UUDD"], ["LLL"]], lambda r: [text(r, "RLUD", 0, 12)])
def distance_walked(moves):
    """How many steps right, left, up or down lead from the start to where these moves end."""
    x = moves.count("R") - moves.count("L")
    y = moves.count("U") - moves.count("D")
    return abs(x) + abs(y)
