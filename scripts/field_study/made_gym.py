"""Cases in the form of reasoning-gym's tasks: entries drawn here, whose right and wrong answers arithmetic decides.

A drawer yields (question, entry, {form: right answer}, {form: wrong answer}). The forms follow what the question of
that dataset demands, so a right answer is one that a reader of the question would write.
"""

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import comb
from typing import Any

Entry = dict[str, Any]
Drawn = tuple[str, Entry, dict[str, str], dict[str, str]]
NAMES = ("Amelia", "Lucas", "Olivia", "Oliver", "Mia", "Jack")
WORDS = ("amber", "violin", "harbour", "quarry", "basket", "needle", "feather", "valley", "desert", "ladder")
FAMILY = "reasoning-gym"


def puzzle24(rng: random.Random) -> Drawn:
    """Make 24 from four numbers; the answer uses each of them once."""
    a, b = rng.choice([(2, 12), (3, 8), (4, 6)])
    c, d = rng.choice([(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)])  # d - c = 1
    numbers = [a, b, c, d]
    if b > 10:
        return puzzle24(rng)
    right = {"product": f"{a}*{b}*({d} - {c})", "quotient": f"{a}*{b}/({d} - {c})", "turned": f"({d} - {c})*{b}*{a}"}
    wrong = {
        "other-numbers": "6*4*1*1" if sorted(numbers) != [1, 1, 4, 6] else "3*8*1*1",
        "not-24": f"{a}*{b} + {d} + {c}",
        "near-24": f"{a}*{b} + {c}/{d}",  # a value between 24 and 25
        "only-24": "24",
        "three-numbers": f"{a}*{b}*{c}",
    }
    question = f"Make 24 from {a}, {b}, {c} and {d}, each once, with +, -, * and /."
    return question, {"answer": right["product"], "metadata": {"numbers": numbers}}, right, wrong


def countdown(rng: random.Random) -> Drawn:
    """Reach a target with every number once."""
    a, b, c, d = rng.sample(range(3, 40), 4)
    target = a * b + c - d
    right = {
        "as-drawn": f"{a}*{b} + {c} - {d}",
        "turned": f"{c} - {d} + {b}*{a}",
        "brackets": f"({a}*{b}) + ({c} - {d})",
    }
    wrong = {
        "one-more": f"{a}*{b} + {c} - {d} + 1",
        "number-left-out": f"{a}*{b} + {c}",
        "other-result": f"{a}*{b} - {c} - {d}",
        "target": str(target),
        "number-twice": f"{a}*{b} + {c} - {d} + {a} - {a}",
        "no-text": "",
    }
    entry = {"answer": right["as-drawn"], "metadata": {"numbers": [a, b, c, d], "target": target}}
    return f"Reach {target} with {a}, {b}, {c} and {d}, each exactly once.", entry, right, wrong


def coin_flip(rng: random.Random) -> Drawn:
    """The probability of k heads in n flips."""
    flips = rng.randrange(2, 7)
    heads = rng.randrange(1, flips)
    exact = Fraction(comb(flips, heads), 2**flips)
    right = {"decimal": str(float(exact)), "fraction": f"{exact.numerator}/{exact.denominator}"}
    other = Fraction(comb(flips, heads) + 1, 2**flips)
    wrong = {
        "other": str(float(other)),
        "other-fraction": f"{other.numerator}/{other.denominator}",
        "nought": "0",
        "one": "1",
        "words": "unknown",
        "no-text": "",
    }
    entry = {"answer": str(float(exact)), "metadata": {}}
    return f"What is the probability of exactly {heads} heads in {flips} fair coin flips?", entry, right, wrong


def knights_knaves(rng: random.Random) -> Drawn:
    """Who is a knight, who is a knave."""
    first, second = rng.sample(NAMES, 2)
    is_knight = [rng.random() < 0.5, rng.random() < 0.5]
    role, opposite = (["a knight" if one is turned else "a knave" for one in is_knight] for turned in (True, False))

    def said(roles: list[str]) -> str:
        return f"{first} is {roles[0]}, and {second} is {roles[1]}"

    right = {
        "sentence": f"{said(role)}.",
        "no-stop": said(role),
        "turned": f"{second} is {role[1]}, and {first} is {role[0]}.",
    }
    wrong = {
        "opposite": f"{said(opposite)}.",
        "one-wrong": f"{said([role[0], opposite[1]])}.",
        "denied": f"It is not true that {said(role)}.",
        "taken-back": f"{said(role)}. No: {said(opposite)}.",
        "no-text": "",
    }
    question = (
        f"Knights always tell the truth, knaves always lie. A knight says that {first} is {role[0]}. "
        f"{first} says that {second} is {(role if is_knight[0] else opposite)[1]}. "
        f"Who of {first} and {second} is a knight, and who a knave?"
    )
    return question, {"answer": f"{said(role)}.", "metadata": {}}, right, wrong


def prime_factorization(rng: random.Random) -> Drawn:
    """A number as a product of primes."""
    factors = sorted(rng.choices((2, 3, 5, 7, 11, 13), k=3))
    number = factors[0] * factors[1] * factors[2]
    text = " × ".join(map(str, factors))
    right = {"as-asked": text, "no-spaces": text.replace(" ", ""), "turned": " × ".join(map(str, factors[::-1]))}
    wrong = {
        "not-prime": f"{factors[0] * factors[1]} × {factors[2]}",
        "another-factor": f"{text} × 17",
        "number": str(number),
        "words": "It is a prime number.",
        "no-text": "",
    }
    entry = {"answer": text, "metadata": {"number": number, "factors": factors}}
    return f"Find the prime factorization of {number}, factors separated by ×.", entry, right, wrong


def simple_integration(rng: random.Random) -> Drawn:
    """An indefinite integral of a polynomial in X."""
    a, b, n = rng.randrange(2, 9), rng.randrange(2, 9), rng.randrange(2, 5)
    integrand = f"{a * (n + 1)}*X**{n} + {b}"
    right = {
        "constant": f"{a}*X**{n + 1} + {b}*X + C",
        "turned": f"C + {b}*X + {a}*X**{n + 1}",
    }
    wrong = {
        "integrand": integrand,
        "derivative": f"{a * (n + 1) * n}*X**{n - 1} + C",
        "coefficient": f"{a + 1}*X**{n + 1} + {b}*X + C",
        "term-missing": f"{a}*X**{n + 1} + C",
        "formal": f"Integral({integrand}, X)",
        "no-text": "",
    }
    entry = {"answer": right["constant"], "metadata": {"integrand": integrand, "variable": "X"}}
    return f"Find the indefinite integral of {integrand} with respect to X.", entry, right, wrong


def polynomial_multiplication(rng: random.Random) -> Drawn:
    """The expanded product of two linear factors."""
    a, b = rng.sample(range(1, 12), 2)
    expanded = f"z**2 + {a + b}*z + {a * b}"
    right = {"expanded": expanded, "turned": f"{a * b} + {a + b}*z + z**2", "no-spaces": expanded.replace(" ", "")}
    wrong = {
        "other-constant": f"z**2 + {a + b}*z + {a * b + 1}",
        "other-middle": f"z**2 + {a + b + 1}*z + {a * b}",
        "sign": f"z**2 - {a + b}*z + {a * b}",
        "no-text": "",
    }
    return f"Calculate (z + {a})*(z + {b}), expanded.", {"answer": expanded, "metadata": {}}, right, wrong


def gsm_symbolic(rng: random.Random) -> Drawn:
    """A word problem with a whole number as its answer."""
    boxes, each, more = rng.randrange(3, 20), rng.randrange(3, 20), rng.randrange(21, 90)
    total = boxes * each + more
    right = {
        "bare": str(total),
        "full-stop": f"{total}.",
        "label": f"Answer: {total}",
    }
    wrong = {
        "other": str(total + 1),
        "negative": f"-{total}",
        "taken-back": f"{total}. No, that is wrong: it is {total + 7}",
        "either": f"{total} or {total + 7}",
        "longer": f"{total}0",
        "half-more": f"{total}.5",
        "no-text": "",
    }
    question = (
        f"There are {boxes} boxes with {each} pens each, and {more} pens more. How many pens? Give the number only."
    )
    return question, {"answer": str(total), "metadata": {}}, right, wrong


def fraction_simplification(rng: random.Random) -> Drawn:
    """A fraction in its lowest terms."""
    top, bottom = rng.choice([(2, 3), (3, 4), (5, 7), (4, 9), (7, 10), (5, 8)])
    factor = rng.randrange(2, 9)
    right = {
        "dfrac": f"$\\dfrac{{{top}}}{{{bottom}}}$",
        "frac": f"$\\frac{{{top}}}{{{bottom}}}$",
        "slash": f"{top}/{bottom}",
    }
    wrong = {
        "not-simplified": f"{top * factor}/{bottom * factor}",
        "turned": f"{bottom}/{top}",
        "other": f"$\\dfrac{{{top + 1}}}{{{bottom}}}$",
        "two": f"$\\dfrac{{{top}}}{{{bottom}}}$ or $\\dfrac{{{bottom}}}{{{top}}}$",
        "no-text": "",
    }
    metadata = {"numerator": top * factor, "denominator": bottom * factor}
    metadata |= {"simplified_numerator": top, "simplified_denominator": bottom}
    question = f"Simplify the fraction {top * factor}/{bottom * factor}. Give only the simplified fraction."
    return question, {"answer": right["dfrac"], "metadata": metadata}, right, wrong


def game_of_life_halting(rng: random.Random) -> Drawn:
    """Whether a board dies out, which is what the dataset calls halted: True or False."""
    halts = rng.random() < 0.5
    dying, living = ("a single cell", "two cells side by side"), ("a block of four cells", "a row of three cells")
    question = (
        "A Game of Life is halted if there are no cells alive. "
        f"Will this game halt: {rng.choice(dying if halts else living)}, alone on a wide board? Answer True or False."
    )
    wrong = {"opposite": str(not halts), "words": "I do not know", "no-text": ""}
    return question, {"answer": str(halts), "metadata": {}}, {"as-asked": str(halts)}, wrong


def letter_jumble(rng: random.Random) -> Drawn:
    """Words with their letters in order again."""
    words = rng.sample(WORDS, 3)
    text = " ".join(words)
    jumbled = " ".join("".join(rng.sample(word, len(word))) for word in words)
    wrong = {
        "another-word": f"{text} lantern",
        "words-after": f"{text} or something else entirely",
        "one-wrong": " ".join([*words[:2], words[2][::-1]]),
        "turned": " ".join(words[::-1]),
        "as-given": jumbled,
        "no-text": "",
    }
    return f"Unscramble these words: {jumbled}", {"answer": text, "metadata": {}}, {"as-asked": text}, wrong


def time_intervals(rng: random.Random) -> Drawn:
    """Days between two dates, as "D days"."""
    days = rng.randrange(2, 29)
    right = {"as-asked": f"{days} days"}
    wrong = {
        "one-more": f"{days + 1} days",
        "weeks": f"{days} weeks",
        "hours": f"{days} hours",
        "taken-back": f"{days} is wrong, it is {days + 5} days",
        "no-text": "",
    }
    question = f"How long is it from 1 March to {1 + days} March? Answer in D days."
    return question, {"answer": f"{days} days", "metadata": {"task_type": "date"}}, right, wrong


DRAWERS: dict[str, Callable[[random.Random], Drawn]] = {
    drawer.__name__: drawer
    for drawer in (
        puzzle24,
        countdown,
        coin_flip,
        knights_knaves,
        prime_factorization,
        simple_integration,
        polynomial_multiplication,
        gsm_symbolic,
        fraction_simplification,
        game_of_life_halting,
        letter_jumble,
        time_intervals,
    )
}


def cases(name: str, each: int = 20, seed: int = 11) -> Iterator[dict[str, Any]]:
    """All forms of ``each`` tasks of one dataset. Copies of a task are left out."""
    seen: set[str] = set()
    for number in range(each):
        question, entry, right, wrong = DRAWERS[name](random.Random(f"{name}/{seed}/{number}"))  # noqa: S311 -- cases
        if question in seen:
            continue
        seen.add(question)
        for label, answers in (("correct", right), ("incorrect", wrong)):
            for form, text in answers.items():
                yield {
                    "id": f"{name}-{number}-{form}",
                    "task": {
                        "id": f"{name}-{number}",
                        "prompt": question,
                        "answer": entry["answer"],
                        "info": {"entry": entry},
                    },
                    "response": text,
                    "label": label,
                    "tags": [form],
                    "cluster": f"form {form}",
                    "source": "made by rule",
                    "licence": "Apache-2.0",
                }
