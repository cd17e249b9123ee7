"""The words of questions and sentences, which are others in each split, and the names, which no two splits share."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from random import Random

SPLITS = ("train", "validation", "test")
_TABLE = tomllib.loads((Path(__file__).parent / "wordings.toml").read_text())
_OTHER = _TABLE.pop("other")
_SYLLABLES = {
    "train": ("Al Bren Cor Dun El Far Gal Hol Ir Jas Kem Lud", "by don wick stead mere fell gate hurst"),
    "validation": ("Mor Nim Os Pen Rud Sar Tol Ul", "ham worth combe stow leigh ridge"),
    "test": ("Vel War Yar Zen Ash Crow Drey Esk Fin Gor", "ton bury mouth holm dale wold crest"),
}
_FIRST = {
    "train": "Ada Bruno Clara Denis Edith Frank Greta Hugo Iris Jonas",
    "validation": "Karla Linus Maud Nils Olga Piet Rosa Sven",
    "test": "Thea Urs Vera Walt Xenia Yves Zita Anton Berta Casper",
}


@dataclass(frozen=True)
class Attribute:
    """Something that can be told of a subject, in the words of one split."""

    subject: str
    """``town``, ``bridge``, ``ship`` or ``person``."""
    name: str
    kind: str
    """``year``, ``number``, ``river``, ``person`` or ``town``."""
    question: str
    sentence: str
    """Tells the fact, in other words than the question."""
    decoy: str
    """Has more of the question's words, and tells something else or denies."""
    echo: str
    """The claim in the question's words; it stands in rumours alone."""
    near: tuple[str, ...]
    """Have as few of the question's words as the telling sentence, and tell something else."""
    phrase: str = ""
    more: str = ""


def attributes_of(split: str) -> list[Attribute]:
    """All attributes, in the words of ``split``."""
    place = SPLITS.index(split)
    return [
        Attribute(
            subject,
            name,
            row["kind"],
            *(row[key][place] for key in ("question", "sentence", "decoy", "echo")),
            tuple(row["near"][place]),
            *(row.get(key, [""] * 3)[place] for key in ("phrase", "more")),
        )
        for subject, rows in _TABLE.items()
        for name, row in rows.items()
    ]


def other_words(split: str) -> dict[str, str]:
    """Sentences about nothing that is asked for, in the words of ``split``."""
    return {key: texts[SPLITS.index(split)] for key, texts in _OTHER.items()}


class Names:
    """Draws names of one split; none twice."""

    def __init__(self, split: str, random: Random) -> None:
        starts, ends = (part.split() for part in _SYLLABLES[split])
        self._places = [start + end for start in starts for end in ends]
        self._first = _FIRST[split].split()
        random.shuffle(self._places)
        random.shuffle(self._first)

    def place(self) -> str:
        return self._places.pop()

    def person(self) -> str:
        return f"{self._first.pop()} {self._places.pop()}"


def all_names(split: str) -> set[str]:
    """Every syllable name and first name that a world of ``split`` may have."""
    starts, ends = (part.split() for part in _SYLLABLES[split])
    return {start + end for start in starts for end in ends} | set(_FIRST[split].split())
