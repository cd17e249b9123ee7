"""Pure decisions about collections: which packages one may hold, which visibility it may get."""

from collections.abc import Mapping

from schemas.package import Visibility

MOST_OF_AN_OWNER = 100
"""Collections of one account or organisation."""
MOST_WORDS = 8
"""Words of a search that are looked at."""


def why_not_held(owner: str, *, is_private: bool, private: Mapping[str, str]) -> str:
    """Why a collection may not hold these private packages, in one sentence; empty when it may.

    A public collection would name them to everybody, and another owner's to people who do not see it. ``private``: by
    package, who has it.
    """
    for package, has_it in private.items():
        if not is_private:
            return f"{package} is private, and everybody can read this collection: make the collection private."
        if has_it != owner:
            return f"{package} is private to another owner than {owner}, whose members may not see it."
    return ""


def is_private_after(*, was_private: bool | None, wanted: Visibility | None) -> bool:
    """Whether the collection is private from now on. ``was_private`` None: it is new."""
    if wanted is None:
        return bool(was_private)
    return wanted is Visibility.PRIVATE


def words_of(text: str) -> list[str]:
    """The words of a search, each once; what is only punctuation is none."""
    words = (word.strip(".,;:!?\"'()") for word in text.replace("\x00", " ").lower().split())
    return list(dict.fromkeys(word for word in words if word))[:MOST_WORDS]
