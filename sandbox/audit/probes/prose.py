"""Long prose that states nothing, in hundreds of different words.

What a policy writes repeats itself little. A verifier could tell sentences that are said again and again from it, be
careful with those, and lenient with the rest.
"""

from random import Random

_KINDS = (  # noqa: SIM905 -- a table of words
    "careful patient gentle narrow quiet distant broad hidden steady ancient curious bright heavy simple plain "
    "hollow familiar modest worn sturdy shallow faint common odd tidy ragged smooth clumsy hasty brittle"
).split()
_THINGS = (  # noqa: SIM905 -- a table of words
    "reader weaver sailor gardener painter miller shepherd tailor visitor neighbour stranger traveller listener "
    "helper drawing ladder kettle lantern blanket basket bucket window garden harbour meadow valley orchard kitchen "
    "cellar workshop village market journey story letter notebook margin corner passage question wording outline "
    "pattern habit reason doubt memory custom promise detour shadow echo murmur silence weather morning evening "
    "winter autumn"
).split()
_DEEDS = (  # noqa: SIM905 -- a table of words
    "follows carries remembers considers describes compares gathers patches notices leaves returns keeps borrows "
    "forgets admires questions watches folds lifts opens covers joins shapes polishes sketches explains repeats "
    "imagines doubts welcomes avoids reaches crosses visits sorts trims"
).split()
_MANNERS = (  # noqa: SIM905 -- a table of words
    "slowly gladly quietly seldom often calmly carefully barely gently loosely eagerly kindly firmly briefly rarely "
    "warily neatly softly openly freely"
).split()
_JOINTS = ("Then", "Still", "Meanwhile", "Besides", "Again", "Afterwards", "Perhaps", "Indeed", "Likewise", "Otherwise")
_LINES = 4
"""Sentences of a paragraph, on average."""


def prose(random: Random, sentences: int) -> str:
    """So many sentences, in paragraphs."""
    said = [_sentence(random) for _ in range(sentences)]
    return "".join(one + ("\n\n" if random.randrange(_LINES) == 0 else " ") for one in said).strip()


def _sentence(random: Random) -> str:
    one, other = random.sample(_THINGS, 2)
    clause = f"the {random.choice(_KINDS)} {one} {random.choice(_MANNERS)} {random.choice(_DEEDS)} the {other}"
    return f"{random.choice(_JOINTS)}, {clause}." if random.randrange(2) else f"{clause[0].upper()}{clause[1:]}."
