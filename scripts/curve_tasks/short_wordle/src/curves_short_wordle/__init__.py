"""Wordle with three letters, twelve words and three guesses, by the rules and marks of lecture/wordle.

A player who guesses known words without reading the marks, never one twice, finds 3 of 12 words. What is found beyond a
quarter of the games was found by reading the marks.
"""

from random import Random

WORDS = ("ant", "bat", "bed", "cow", "cup", "dog", "fox", "hat", "key", "net", "pen", "sun")
MAX_GUESSES = 3


def generate(split: str, seed: int, index: int) -> dict:
    """Game ``index``: its number tells nothing of the word, and no number of a test game occurs in training."""
    random = Random(f"{split}:{seed}:{index}")  # noqa: S311 -- no secret
    number = 2 * random.randrange(500) + (split == "test")
    return {
        "id": f"{split}-{index}",
        "prompt": f"Game {number}.",
        "answer": WORDS[index % len(WORDS)] if split == "test" else random.choice(WORDS),
        "split": split,
    }


def marks(guess: str, answer: str) -> str:
    """``G`` right place, ``Y`` elsewhere in the word, ``X`` absent; each letter of the answer counts once."""
    left = [a for g, a in zip(guess, answer, strict=True) if g != a]
    found = ""
    for g, a in zip(guess, answer, strict=True):
        if g == a:
            found += "G"
        elif g in left:
            left.remove(g)
            found += "Y"
        else:
            found += "X"
    return found


class Session:
    """One game. A message that holds no known word costs a guess as well."""

    def reset(self, task: dict, seed: int) -> dict:  # noqa: ARG002 -- the signature
        self.answer, self.said = task["answer"], []
        return {"messages": [{"role": "user", "content": task["prompt"]}], "tools": []}

    def step(self, message: dict) -> dict:
        guess = str(message.get("content") or "")
        self.said.append(guess if guess in WORDS else "")
        reply = marks(guess, self.answer) if guess in WORDS else "?"
        return {"messages": [{"role": "user", "content": reply}], "done": self._is_over()}

    def _is_over(self) -> bool:
        return self.said[-1] == self.answer or len(self.said) >= MAX_GUESSES

    def state(self) -> dict:
        return {"said": self.said}


def verify(task: dict, state: dict) -> dict:
    said = state["said"]
    found = bool(said) and said[-1] == task["answer"]
    return {
        "solved": float(found),
        "speed": (MAX_GUESSES + 1 - len(said)) / MAX_GUESSES if found else 0.0,
        "valid_guesses": sum(map(bool, said)) / len(said) if said else 0.0,
    }
