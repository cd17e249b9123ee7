"""Problems without end: split, seed and index decide each one, and no test prompt ever occurs in training."""

import hashlib
from fractions import Fraction
from random import Random

HELD_OUT = {0: "test", 1: "validation"}
"""Of eight prompts, told apart by their hashes, one belongs to each of these splits, and the others to training."""

REQUEST = "Answer in dollars, as a fraction in simplest form."
COINS = {"penny": 1, "nickel": 5, "dime": 10, "quarter": 25, "half dollar": 50}
ITEMS = (
    "notebook pencil sandwich apple muffin postcard candle lemon stamp ribbon cookie bagel marker magnet sticker badge"
    " whistle marble balloon bookmark"
).split()
NAMES = "Ada Ben Chen Dalia Emil Fatou Grace Hugo Ines Jun Kofi Lena".split()


def generate(split, seed, index):
    """Problem ``index`` of ``split``: id, prompt, the exact answer ("7/4", "2") and the kind of problem as its tag."""
    random = Random(f"{split}:{seed}:{index}")
    kind, make = KINDS[index % len(KINDS)]
    while True:
        question, answer = make(random)
        prompt = f"{question} {REQUEST}"
        if 0 < answer < 50 and split_of(prompt) == split:
            break
    return {
        "id": f"{kind}-{split}-{seed}-{index}",
        "prompt": prompt,
        "answer": str(answer),
        "tags": [kind],
        "split": split,
    }


def split_of(prompt):
    """The only split that a prompt may be in, whatever seed drew it."""
    return HELD_OUT.get(hashlib.sha256(prompt.encode()).digest()[0] % 8, "train")


def money(cents):
    return f"${cents // 100}.{cents % 100:02d}"


def make_change(random):
    bill = random.choice((1, 2, 5, 10, 20))
    price = random.randrange(5, 100 * bill, 5)
    item, name = random.choice(ITEMS), random.choice(NAMES)
    question = f"{name} buys a {item} for {money(price)} and pays with ${bill}. How much change does {name} get?"
    return question, Fraction(100 * bill - price, 100)


def make_two_items(random):
    first, second = random.sample(ITEMS, 2)
    prices = random.randrange(5, 250, 5), random.randrange(5, 250, 5)
    question = f"A {first} costs {money(prices[0])} and a {second} {money(prices[1])}. How much do both cost together?"
    return question, Fraction(sum(prices), 100)


def make_coins(random):
    kinds = random.sample(list(COINS), random.randint(2, 3))
    counts = {coin: random.randint(1, 6) for coin in kinds}
    listed = [f"{count} {plural(coin) if count > 1 else coin}" for coin, count in counts.items()]
    question = f"How much are {', '.join(listed[:-1])} and {listed[-1]} worth together?"
    return question, Fraction(sum(COINS[coin] * count for coin, count in counts.items()), 100)


def plural(coin):
    return "pennies" if coin == "penny" else f"{coin}s"


def make_share(random):
    people, dollars = random.randint(2, 12), random.randint(1, 20)
    question = f"{people} friends share ${dollars} equally. How much does each of them get?"
    return question, Fraction(dollars, people)


def make_part(random):
    whole = random.choice((2, 3, 4, 5, 6, 8, 10, 12))
    part, dollars, name = random.randint(1, whole - 1), random.randint(1, 9), random.choice(NAMES)
    question = f"{name} has ${dollars} and spends {part}/{whole} of it. How much is left?"
    return question, dollars * (1 - Fraction(part, whole))


def make_several(random):
    item, name, count = random.choice(ITEMS), random.choice(NAMES), random.randint(2, 9)
    price, bill = random.randrange(5, 200, 5), random.choice((5, 10, 20))
    question = f"A {item} costs {money(price)}. {name} buys {count} of them and pays with ${bill}."
    return f"{question} How much change does {name} get?", Fraction(100 * bill - count * price, 100)


def make_each(random):
    item, total = random.choice(ITEMS), random.randrange(50, 1200, 5)
    count, free = random.randint(2, 9), random.randint(1, 3)
    question = f"A pack of {count} costs {money(total)}, and you get {free} more for free. How much is one {item} then?"
    return question, Fraction(total, 100 * (count + free))


KINDS = [
    ("change", make_change),
    ("two-items", make_two_items),
    ("coins", make_coins),
    ("share", make_share),
    ("part", make_part),
    ("several", make_several),
    ("each", make_each),
]
