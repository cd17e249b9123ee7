"""The verdict: each constraint by its own checker, and two gates."""

from lecture_instructions.constraints import is_kept
from lecture_instructions.english import is_fluent
from lecture_instructions.telling import facts_told, tells
from lecture_instructions.text import clean, words


def verify(task: dict, response: str) -> dict:
    """``length``, ``words``, ``form``, ``letters``, ``all_kept``; the gates ``tells`` and ``fluent``; and ``facts``."""
    asked, text = task["info"], clean(response)
    kept = {
        family: float(bool(text) and is_kept(family, kind, parameters, text))
        for family, kind, parameters in asked["constraints"]
    }
    facts = asked["facts"]
    named = [parameter for _, _, parameters in asked["constraints"] for parameter in parameters]
    given = words(" ".join([asked["name"], *facts.values(), *map(str, named)]))
    return kept | {
        "all_kept": float(all(kept.values())),
        "tells": float(tells(text, asked["name"], facts)),
        "fluent": float(is_fluent(text, given)),
        "facts": len(facts_told(text, facts)) / len(facts),
    }
