"""Thirty-two functions over numbers that the package does not have, with a few tests each and inputs to draw."""
# ruff: noqa: B905, PLC3002, PLR1714, RUF007 -- programs as solvers write them, and one line a task

from collections.abc import Callable
from random import Random

TASKS: list[tuple[Callable, list[list], Callable[[Random], list]]] = []


def task(tests: list[list], draw: Callable[[Random], list]) -> Callable[[Callable], Callable]:
    """``tests``: argument lists as an author would choose them. ``draw``: any input that the docstring allows."""

    def keep(function: Callable) -> Callable:
        TASKS.append((function, tests, draw))
        return function

    return keep


def ints(r: Random, low: int, high: int, least: int, most: int) -> list[int]:
    return [r.randint(low, high) for _ in range(r.randint(least, most))]


@task([[12, 5], [7, 7], [0, 9], [100, 3], [45, 6]], lambda r: [r.randint(0, 300), r.randint(1, 20)])
def ceil_to(n, step):
    """The smallest multiple of step that is at least n."""
    rest = n % step
    return n if rest == 0 else n + step - rest


@task([[1, 10], [20, 30], [2, 2], [90, 100], [14, 16]], lambda r: [r.randint(1, 90), r.randint(1, 150)])
def primes_between(low, high):
    """How many primes lie between low and high, both included."""
    count = 0
    for n in range(max(low, 2), high + 1):
        if all(n % d for d in range(2, int(n**0.5) + 1)):
            count += 1
    return count


@task([[[1, 2, 3, 4]], [[5]], [[]], [[2, 2, 2]], [[-1, 4, -6, 3]]], lambda r: [ints(r, -20, 20, 0, 9)])
def alternating_sum(numbers):
    """The first number minus the second plus the third and so on; 0 for an empty list."""
    total = 0
    for place, number in enumerate(numbers):
        total += number if place % 2 == 0 else -number
    return total


@task([[[3, 1, 2]], [[5, 5, 5]], [[1, 2, 3, 4]], [[9]], [[4, 3, 2, 1]]], lambda r: [ints(r, 0, 12, 1, 9)])
def longest_rise(numbers):
    """The length of the longest run of neighbours in which each number is larger than the one before."""
    best = run = 1
    for before, after in zip(numbers, numbers[1:]):
        run = run + 1 if after > before else 1
        best = max(best, run)
    return best


@task([[0], [7], [199], [999999], [10]], lambda r: [r.randint(0, 10**7)])
def digital_root(n):
    """Add the digits of n again and again until one digit is left."""
    while n > 9:
        n = sum(int(digit) for digit in str(n))
    return n


@task(
    [[[1, 2, 3], 4], [[], 1], [[5, 5, 5], 10], [[0, 7, 3, 4], 7], [[2, 2], 4]],
    lambda r: [ints(r, 0, 12, 0, 9), r.randint(0, 24)],
)
def count_pairs(numbers, total):
    """How many pairs of different places hold numbers that add up to total."""
    pairs = 0
    for i in range(len(numbers)):
        for j in range(i + 1, len(numbers)):
            if numbers[i] + numbers[j] == total:
                pairs += 1
    return pairs


@task(
    [[[1, 5, 2, 8], 3], [[4], 1], [[2, 2, 9, 1], 2], [[7, 3, 1], 3], [[0, 0, 5, 5], 2]],
    lambda r: (lambda x: [x, r.randint(1, len(x))])(ints(r, -9, 20, 1, 9)),
)
def best_window(numbers, width):
    """The largest sum of width neighbouring numbers."""
    window = sum(numbers[:width])
    best = window
    for place in range(width, len(numbers)):
        window += numbers[place] - numbers[place - width]
        best = max(best, window)
    return best


@task([[6], [28], [12], [1], [97]], lambda r: [r.randint(1, 600)])
def kind_of_number(n):
    """'perfect', 'abundant' or 'deficient', by the sum of the divisors of n below n."""
    total = sum(d for d in range(1, n // 2 + 1) if n % d == 0)
    if total == n:
        return "perfect"
    return "abundant" if total > n else "deficient"


@task([[[1, 2, 2, 3, 3, 3]], [[4]], [[5, 5, 1, 1]], [[]], [[9, 8, 9]]], lambda r: [ints(r, 0, 6, 0, 10)])
def most_common(numbers):
    """The number that occurs most often, of several the smallest; None for an empty list."""
    if not numbers:
        return None
    best = max(numbers.count(number) for number in numbers)
    return min(number for number in numbers if numbers.count(number) == best)


@task([[[3, 0, 1, 0]], [[0, 0]], [[1, 2]], [[]], [[0, 4, 0, 5]]], lambda r: [ints(r, 0, 3, 0, 10)])
def zeros_last(numbers):
    """The list with its zeros moved to the end, the others in their order."""
    kept = [number for number in numbers if number != 0]
    return kept + [0] * (len(numbers) - len(kept))


@task(
    [[[1, 3, 5], [2, 4]], [[], [1]], [[1, 1], [1]], [[2, 9], [3, 4, 10]], [[], []]],
    lambda r: [sorted(ints(r, 0, 20, 0, 7)), sorted(ints(r, 0, 20, 0, 7))],
)
def merged(first, second):
    """Two sorted lists as one sorted list."""
    result, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        if first[i] <= second[j]:
            result.append(first[i])
            i += 1
        else:
            result.append(second[j])
            j += 1
    return result + first[i:] + second[j:]


@task([[7, 1], [5, 2], [10, 3], [1, 1], [6, 6]], lambda r: [r.randint(1, 25), r.randint(1, 9)])
def last_in_circle(people, step):
    """People 1 to people stand in a circle and every step-th leaves; who is the last?"""
    place = 0
    for size in range(2, people + 1):
        place = (place + step) % size
    return place + 1


@task(
    [[[[1, 2], [3, 4]]], [[[5]]], [[[1, 2, 3], [4, 5, 6], [7, 8, 9]]], [[[0, 1], [1, 0]]]],
    lambda r: (lambda n: [[[r.randint(-9, 9) for _ in range(n)] for _ in range(n)]])(r.randint(1, 5)),
)
def diagonals(grid):
    """The sum of both diagonals of a square grid; the middle of an odd one counts once."""
    size = len(grid)
    total = sum(grid[i][i] + grid[i][size - 1 - i] for i in range(size))
    return total - grid[size // 2][size // 2] if size % 2 == 1 else total


@task([[2024], [1900], [2000], [2023], [1600]], lambda r: [r.choice([r.randint(1, 3000), 100 * r.randint(1, 30)])])
def is_leap(year):
    """Whether a year of the Gregorian calendar is a leap year."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


@task([[0, 30], [3, 0], [12, 15], [6, 45], [9, 59]], lambda r: [r.randint(0, 23), r.randint(0, 59)])
def clock_angle(hour, minute):
    """Twice the smaller angle in degrees between the hands of a clock, a whole number."""
    twice = abs((hour % 12 * 60 + minute) - 12 * minute)
    return min(twice, 720 - twice)


@task([[[100, 80, 60]], [[5]], [[1, 2, 3]], [[7, 1, 5, 3, 6, 4]], [[2, 2]]], lambda r: [ints(r, 0, 50, 1, 9)])
def best_trade(prices):
    """The largest gain of buying once and selling later; 0 where there is none."""
    lowest, gain = prices[0], 0
    for price in prices[1:]:
        gain = max(gain, price - lowest)
        lowest = min(lowest, price)
    return gain


@task([[10], [1], [27], [2], [97]], lambda r: [r.randint(1, 400)])
def collatz_peak(n):
    """The largest number on the way from n to 1 by halving even numbers and taking 3n + 1 of odd ones."""
    peak = n
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        peak = max(peak, n)
    return peak


@task(
    [[[5, 1, 4], 2], [[3], 1], [[9, 9, 8], 2], [[1, 2, 3, 4], 4]],
    lambda r: (lambda x: [x, r.randint(1, len(x))])(ints(r, 0, 15, 1, 9)),
)
def kth_largest(numbers, k):
    """The k-th largest number; equal ones count each."""
    return sorted(numbers, reverse=True)[k - 1]


@task(
    [[[1, 4], [2, 5]], [[1, 2], [3, 4]], [[0, 9], [3, 4]], [[5, 8], [8, 9]]],
    lambda r: [sorted([r.randint(0, 20), r.randint(0, 20)]), sorted([r.randint(0, 20), r.randint(0, 20)])],
)
def overlap(first, second):
    """How long two closed stretches [start, end] of a line overlap; 0 where they do not."""
    return max(0, min(first[1], second[1]) - max(first[0], second[0]))


@task(
    [[68, [25, 10, 5, 1]], [0, [5]], [30, [20, 10]], [99, [50, 20, 10, 5, 1]]],
    lambda r: [r.randint(0, 300), r.choice([[25, 10, 5, 1], [50, 20, 10, 5, 2, 1], [10, 1], [100, 1]])],
)
def coins_used(amount, coins):
    """How many coins it takes to pay amount, always with the largest that fits. The last coin divides all amounts."""
    used = 0
    for coin in coins:
        used += amount // coin
        amount %= coin
    return used


@task(
    [[3, 4, 5], [1, 1, 3], [2, 2, 2], [5, 5, 8], [6, 2, 3]],
    lambda r: [r.randint(1, 12), r.randint(1, 12), r.randint(1, 12)],
)
def triangle(a, b, c):
    """'none', 'equilateral', 'isosceles' or 'scalene'."""
    a, b, c = sorted([a, b, c])
    if a + b <= c:
        return "none"
    if a == c:
        return "equilateral"
    return "isosceles" if a == b or b == c else "scalene"


@task(
    [[[1, 2, 3, 4, 5], 2], [[1], 3], [[1, 2, 3], 0], [[], 4], [[7, 8, 9, 10], 5]],
    lambda r: [ints(r, 0, 9, 0, 9), r.randint(0, 15)],
)
def turned(numbers, steps):
    """The list turned to the right by steps places."""
    if not numbers:
        return []
    steps %= len(numbers)
    return numbers[-steps:] + numbers[:-steps] if steps else list(numbers)


@task([[[2, 7, 4], 5], [[], 1], [[1, 1, 1], 1], [[10, 20, 30], 25]], lambda r: [ints(r, 0, 30, 0, 9), r.randint(0, 30)])
def split_at(numbers, limit):
    """[numbers below limit, numbers equal to it, numbers above it], each in their order."""
    return [[n for n in numbers if n < limit], [n for n in numbers if n == limit], [n for n in numbers if n > limit]]


@task(
    [[[1, 2, 4, 5]], [[1]], [[3, 1]], [[2, 3, 4]], [[]]],
    lambda r: (lambda n: [[x for x in range(1, n + 1) if r.random() < 0.8]])(r.randint(0, 12)),
)
def first_missing(numbers):
    """The smallest positive whole number that is not in the list."""
    missing = 1
    while missing in numbers:
        missing += 1
    return missing


@task(
    [[[[1, 2, 3], [4, 5, 6]]], [[[1]]], [[[1, 2], [3, 4]]], [[[1, 2, 3]]]],
    lambda r: (lambda w: [[[r.randint(0, 9) for _ in range(w)] for _ in range(r.randint(1, 4))]])(r.randint(1, 4)),
)
def clockwise(grid):
    """The grid turned by a quarter to the right."""
    return [[grid[len(grid) - 1 - row][column] for row in range(len(grid))] for column in range(len(grid[0]))]


@task([[[85, 90, 70], 80], [[50], 60], [[], 10], [[60, 60], 60]], lambda r: [ints(r, 0, 100, 0, 8), r.randint(0, 100)])
def passed_share(marks, least):
    """Which whole percentage of marks is at least least, rounded down; 0 without marks."""
    if not marks:
        return 0
    return 100 * sum(mark >= least for mark in marks) // len(marks)


@task([[1], [4], [9], [1994], [3999]], lambda r: [r.randint(1, 3999)])
def roman(n):
    """n as a Roman numeral."""
    result = ""
    for value, sign in [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ]:
        while n >= value:
            result += sign
            n -= value
    return result


@task([[3600], [59], [0], [3725], [86399]], lambda r: [r.randint(0, 200000)])
def as_clock(seconds):
    """Seconds as h:mm:ss."""
    return f"{seconds // 3600}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"


@task([[[1, 2, 3]], [[1, 1]], [[]], [[5, 3, 5, 3, 1]]], lambda r: [ints(r, 0, 8, 0, 9)])
def ranks(numbers):
    """Each number's place by size, the largest has 1, equal ones share the better place."""
    return [1 + sum(other > number for other in numbers) for number in numbers]


@task([[5, 3], [1, 1], [0, 4], [6, 2], [10, 4]], lambda r: [r.randint(0, 14), r.randint(1, 5)])
def ways_up(stairs, most):
    """In how many ways can stairs be climbed with steps of 1 to most stairs?"""
    ways = [1]
    for height in range(1, stairs + 1):
        ways.append(sum(ways[max(0, height - most) : height]))
    return ways[stairs]


@task(
    [[[3, 5, 2], 6], [[9], 8], [[], 3], [[1, 1, 1, 1], 2], [[4, 4], 8]],
    lambda r: [ints(r, 1, 9, 0, 8), r.randint(1, 20)],
)
def taken_until(numbers, budget):
    """How many numbers from the front fit together into budget."""
    spent = 0
    for count, number in enumerate(numbers):
        spent += number
        if spent > budget:
            return count
    return len(numbers)


@task([[[1, 2, 3, 4, 6]], [[2]], [[7, 5]], [[10, 10, 1]], [[]]], lambda r: [ints(r, 1, 12, 0, 9)])
def balance_place(numbers):
    """The first place with equal sums left and right of it; -1 where there is none."""
    for place in range(len(numbers)):
        if sum(numbers[:place]) == sum(numbers[place + 1 :]):
            return place
    return -1
