"""A game on a board: what a guess does. Session and verifier play by the same rules."""

from dataclasses import dataclass, field

from lecture_connections.puzzles import Puzzle

MOST_MISTAKES, MOST_GUESSES, LONGEST_WORD = 4, 12, 40


@dataclass
class Game:
    """A board and the guesses so far; a malformed guess is a mistake and closes the gate ``format``."""

    puzzle: Puzzle
    found: list[str] = field(default_factory=list)
    mistakes: int = 0
    guesses: int = 0
    is_well_formed: bool = True

    @property
    def left(self) -> list[str]:
        """The words that are in no found group, in the order of the board."""
        gone = {word for name in self.found for word in self.puzzle.groups[name]}
        return [word for word in self.puzzle.board if word not in gone]

    @property
    def is_solved(self) -> bool:
        return len(self.found) == len(self.puzzle.groups)

    @property
    def is_over(self) -> bool:
        return self.is_solved or self.mistakes >= MOST_MISTAKES or self.guesses >= MOST_GUESSES

    def guess(self, words: object) -> str:
        """Play a guess; what the player is told."""
        self.guesses += 1
        four = read_words(words)
        if four is None or not four <= set(self.left):
            self.is_well_formed = False
            self.mistakes += 1
            return self._told("error: a guess is four different words that are left, and nothing else.")
        shared = {name: len(four & group) for name, group in self.puzzle.groups.items()}
        best = max(shared, key=shared.__getitem__)
        if shared[best] == 4:
            self.found.append(best)
            return self._told(f"Right: {best}.")
        self.mistakes += 1
        return self._told("Wrong, but three of the four belong together." if shared[best] == 3 else "Wrong.")

    def _told(self, said: str) -> str:
        if self.is_solved:
            return f"{said} All four groups are found."
        if self.is_over:
            return f"{said} The game is over."
        return f"{said} Mistakes: {self.mistakes} of {MOST_MISTAKES}. Left: {', '.join(self.left)}"


def read_words(words: object) -> frozenset[str] | None:
    """Four different words of a list, or of one text with commas between; None for anything else."""
    if isinstance(words, str):
        words = words.split(",") if len(words) <= 5 * LONGEST_WORD else None
    if not isinstance(words, list) or len(words) != 4 or not all(isinstance(word, str) for word in words):
        return None
    if any(len(word) > LONGEST_WORD for word in words):  # cut off, it would be another word
        return None
    read = frozenset(word.strip(" \t\n\"'“”‘’*.`").lower() for word in words)
    return read if len(read) == 4 else None
