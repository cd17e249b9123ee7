"""Wordle as a session: reset, six guesses with marks, and a verdict recomputed from the guesses."""

from lecture_wordle.rules import MAX_GUESSES, MAX_MESSAGES, is_played, marks, read_guess

RULES = (
    "Guess the secret five-letter English word in at most six guesses. Answer each turn with <guess>word</guess>. "
    "I mark every letter: G is right, Y is in the word but elsewhere, X is not in the word (or not once more)."
)


class Session:
    """One game. Words that are not in the list cost a message, not a guess; twelve messages end the game."""

    def reset(self, task: dict, seed: int) -> dict:
        self.answer = task["answer"]
        self.guesses: list[str] = []
        self.messages = 0
        return {
            "messages": [{"role": "system", "content": RULES}, {"role": "user", "content": task["prompt"]}],
            "tools": [],
        }

    def step(self, message: dict) -> dict:
        if self._is_over():  # a client may send more than the game takes: a game that was won stays won
            return {"messages": [{"role": "user", "content": "The game is over."}], "done": True}
        self.messages += 1
        guess = read_guess(str(message.get("content") or ""))
        if guess is None:
            reply = "That is no five-letter word of my list. Answer with <guess>word</guess>."
        else:
            self.guesses.append(guess)
            reply = f"{guess.upper()} {marks(guess, self.answer)}"
        if self._is_found():
            reply += " You found it."
        elif self._is_over():
            reply += " The game is over."  # without the word: an undone step must not have told the secret
        else:
            reply += f" {MAX_GUESSES - len(self.guesses)} guesses left."
        return {"messages": [{"role": "user", "content": reply}], "done": self._is_over()}

    def _is_found(self) -> bool:
        return bool(self.guesses) and self.guesses[-1] == self.answer

    def _is_over(self) -> bool:
        return self._is_found() or len(self.guesses) >= MAX_GUESSES or self.messages >= MAX_MESSAGES

    def state(self) -> dict:
        return {"guesses": self.guesses, "messages": self.messages}


def verify(task: dict, state: dict) -> dict:
    """Everything is recomputed from the guesses: a state that claims success proves nothing."""
    answer = task["answer"]
    if not is_played(state):
        return {"solved": 0.0, "speed": 0.0, "valid_guesses": 0.0}
    guesses = state["guesses"]
    found = bool(guesses) and guesses[-1] == answer and answer not in guesses[:-1]
    speed = (MAX_GUESSES + 1 - len(guesses)) / MAX_GUESSES if found else 0.0
    valid = len(guesses) / state["messages"] if state["messages"] else 0.0
    return {"solved": float(found), "speed": speed, "valid_guesses": valid}
