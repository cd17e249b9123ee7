"""Plain sentences of known words: small letters, no commas, no digits, no quotation marks."""

import random

TOPICS = ["the sea", "a market", "winter", "a train journey", "bread", "mountains", "a garden", "rain"]
SUBJECTS = ["the old boat", "a small dog", "our neighbour", "the morning train", "a grey cloud", "the baker", "a child"]
VERBS = ["waits near", "passes", "remembers", "looks for", "comes back to", "stays with", "turns towards"]
PLACES = ["the quiet harbour", "a narrow street", "the green hill", "the last house", "an empty square", "the river"]


def sentence(rng: random.Random) -> str:
    """Words without a full stop, in small letters."""
    return f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(PLACES)}"


def sentences(rng: random.Random, count: int) -> list[str]:
    """So many of them, no two alike."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[sentence(rng)] = None
    return list(found)


def prose(rng: random.Random, count: int) -> str:
    """So many sentences, each with a capital letter and a full stop."""
    return " ".join(f"{one[0].upper()}{one[1:]}." for one in sentences(rng, count))


def words(rng: random.Random, count: int) -> str:
    """Exactly so many words and a full stop, in small letters."""
    return " ".join(" ".join(sentences(rng, count // 4 + 2)).split()[:count]) + "."
