"""The form of a response: the case of its letters, and whether it is one short, finished sentence."""

import re

SHORTEST, LONGEST, HOPELESS = 3, 15, 30
"""Words of a short sentence, and the length from which on nothing is left of the part credit."""

ABBREVIATION = re.compile(r"\b(?:[a-z]\.){2,}|\b(?:etc|mr|mrs|dr|st|vs)\.", re.IGNORECASE)
END = re.compile(r"[.!?…。]+[\"'”’)*_`]*(?=\s|$)")
"""One or more closing marks, perhaps before a quote, bracket or emphasis mark, before a space or the end."""


def score_lowercase(text):
    """1 when every letter is lowercase; a quarter with one other word, halved for each more; 0 without letters.

    Most of the credit hangs on the last capital: a small model nearly always writes just one, at the start, and must
    notice the rare answer without it.
    """
    words = [word for word in text.split() if any(c.isalpha() for c in word)]
    raised = sum(not all(c.islower() for c in word if c.isalpha()) for word in words)
    if not words:
        return 0.0
    return 1.0 if raised == 0 else 0.5 ** (1 + min(raised, 30))


def score_length(text):
    """1 for one finished sentence of 3 to 15 words, else at most a half, less with every word too many.

    The part credit (0.4 finished, 0.2 unfinished) is what lets a model that has never written a short sentence
    notice that shorter and finished is better.
    """
    words = sum(any(c.isalnum() for c in word) for word in text.split())
    if words < SHORTEST:
        return 0.0
    if words <= LONGEST and is_one_sentence(text):
        return 1.0
    near = min(1.0, max(0.0, (HOPELESS - words) / (HOPELESS - LONGEST)))
    return near * (0.4 if ends_finished(text) else 0.2)


def ends_finished(text):
    """Whether the last thing in ``text`` is a closing mark of a sentence."""
    ends = list(END.finditer(text.rstrip()))
    return bool(ends) and ends[-1].end() == len(text.rstrip())


def is_one_sentence(text):
    """One closing mark, at the end; one paragraph; no list."""
    text = text.strip()
    if not ends_finished(text) or re.search(r"\n\s*\n|^\s*(?:[-*•#]|\d+[.)])\s", text, re.MULTILINE):
        return False
    body = ABBREVIATION.sub(lambda found: found[0].replace(".", ""), text[:-1]) + text[-1]
    return len(END.findall(body)) == 1
