"""The words: every five-letter word that may be guessed. Sorted, from SCOWL (see NOTICE.txt)."""

from pathlib import Path

WORD_LENGTH = 5
WORDS = frozenset(Path(__file__).with_name("words.txt").read_text().split())
