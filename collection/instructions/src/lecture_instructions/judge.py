"""The verdict: each constraint by its own checker, and two gates."""

from lecture_instructions.constraints import is_kept
from lecture_instructions.patterns import patterns_of
from lecture_instructions.text import clean


def verify(task: dict, response: str) -> dict:
    """The constraints, one by one and all; the gates ``patterns`` and ``tells``; and ``facts``."""
    asked, text = task["info"], clean(response)
    kept = {
        family: float(bool(text) and is_kept(family, kind, parameters, text))
        for family, kind, parameters in asked["constraints"]
    }
    made_of = patterns_of(text, asked["name"], asked["patterns"])
    needed = {number for number, each in enumerate(asked["patterns"]) if each["needed"]}
    told = needed & set(made_of or ())
    return kept | {
        "all_kept": float(all(kept.values())),
        "patterns": float(bool(made_of)),
        "tells": float(told == needed and len(made_of or ()) == len(set(made_of or ()))),
        "facts": len(told) / len(needed),
    }
