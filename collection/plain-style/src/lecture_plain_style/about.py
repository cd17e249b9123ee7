"""Whether a sentence says something about its topic: what the thin version 1 did not ask, and a model found out."""

import itertools
import json
import math
import re
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

from lecture_plain_style.english import AUXILIARIES, EMPTY_WORDS, FUNCTION_WORDS, drop_s, is_finite, stem

# Talk about the instruction instead of the topic: a model that is paid for lowercase sentences writes about those.
META = re.compile(
    r"\b(?:sentences?|lower-?\s?cased?|upper-?\s?cased?|capitali[sz]\w*|capital letters?|prompts?|chatbot|"
    r"assistants?|language model|as an ai|(?:small|little|lower|simple|plain|only|these|no) letters|letters only|"
    r"(?:short|single|one|brief|few) (?:phrase|statement|description|paragraph|word)s?|describe (?:it|them)|"
    r"(?:short|single|one|brief|simple|plain|requested|this|my) (?:answer|line|reply)s?|as (?:requested|asked|told)|"
    r"descriptions? of|you asked|i (?:can|will|would|could|am|have|was)|i'll|i'm|"
    r"instructions? (?:is|are|was|were|for))\b"
)
PREAMBLE = re.compile(
    r"^\W*(?:sure|certainly|of course|okay|ok|yes|here(?:'s| is| are)|(?:the )?answer|response|output|describe)\b"
)
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
MARKUP = re.compile(r"[{}<>\[\]=|\\@#$^~]|https?:")
DENIAL = re.compile(
    r"\b(?:(?:is|are|be) (?:not|never|no|nothing|hardly|neither)|(?<!^)(?:isn't|aren't)|(?:cannot|can't|can not) be)\b"
    r"(?! (?:just|only|merely))|^\W*(?:no|nobody|none)\b|\bnothing to do with\b"
)
QUESTION = re.compile(
    r"\W*(?:is|are|was|were|can|does|do|did|should|would|what|who|which|why|how)\b.*\?\W*$", re.DOTALL
)
CONTRAST = re.compile(r"\bbut\b|[,;] (?:and|they|it|it's|they're|yet|only|just)\b")
SALAD = re.compile(
    r"\b(?:a|an|the) (?:a|an|the|of|to|by|in|on|at|it|is|are|for|with|and|or)\b|\b(?:a|an|the|my|your|and|or)\W*$|"
    r"\b(?:of|to|by|in|on|at|for|with) (?:of|to|by|is|are)\b"
)
SOUP = re.compile(r"\b[^\W\d_aeiouy]{3,}\b|[bcdfghjklmnpqrstvwxz]{6,}|q(?!u)|([a-z])\1\1")
"""Words that follow one another in no sentence; letters that follow one another in no word."""
IS_SHORT = re.compile(r"'s (?:a|an|the|like|so|one|not|what|when|where|how)\b|'re\b")

STOPS = FUNCTION_WORDS | {"like", "e"}
COPULAS, ARTICLES = {"is", "are", "was", "were", "means"}, {"a", "an", "the", "very", "just"}

JOINTS = {"and", "or"}
"""Function words that a mere list has too."""

MOST_REPEATS, LONGEST_RUN, LONGEST_WITHOUT_GLUE, MOST_COMMAS = 2, 6, 5, 2
"""How often one content word may occur; how many words may follow each other without a function word; how long a
sentence may be that has no function word ("bees make honey" is one), and how many commas it may have."""

MOST_RIVALS = 0.195
"""The largest share of all topics that a sentence may fit as well as its own."""

KIND_STEMS = {
    kind: frozenset(map(stem, words.split()))
    for kind, words in tomllib.loads(Path(__file__).with_name("kinds.toml").read_text()).items()
}


def score_topic(text, info):
    """Half for a sentence that names its topic, half for words in it that belong there more than to most other topics;
    0 for whatever looks like a cheat. Further truth is not judged.
    """
    text = re.sub(r"[*_`]+", "", text.lower().replace("’", "'"))
    words = WORD.findall(text)
    names = topic_names(info)
    stems = [stem(word) for word in words]
    if any(cheat.search(text) for cheat in (META, PREAMBLE, MARKUP, SALAD, SOUP)) or names.isdisjoint(stems):
        return 0.0
    if denies(text) or repeats_itself(text, stems) or is_circular(text, info) or has_other_subjects(text, names):
        return 0.0
    is_sentence = reads_like_a_sentence(text, words, names)
    is_apt = fits_few(words_beside(names, words), info)
    return 0.5 * is_sentence + 0.5 * is_apt


def topic_names(info):
    """Stems by which the topic may be named: its last word, and other names of the task ("photo" for photographs)."""
    return {stem(info["topic"].split()[-1]), *map(stem, info.get("names", []))}


def words_beside(names, words):
    """The content words of ``words`` that are not the topic's own name."""
    return [word for word in words if word not in FUNCTION_WORDS | EMPTY_WORDS and stem(word) not in names]


def denies(text):
    """Whether the sentence only says what its topic is not, or asks."""
    denial = DENIAL.search(text)
    return QUESTION.match(text) is not None or (denial is not None and not CONTRAST.search(text, denial.end()))


def is_circular(text, info):
    """Whether the sentence explains its topic by itself: "rivers are rivers", "beds are large beds that ..."."""
    names = {drop_s(info["topic"].split()[-1]), *info.get("names", [])}
    for clause in re.split(r"[;:!?]", text):
        words = WORD.findall(clause)
        for place, word in enumerate(words[:-1]):
            if drop_s(word) in names and words[place + 1] in COPULAS:
                rest = words[place + 2 :]
                said = itertools.takewhile(lambda each: each in ARTICLES or each not in STOPS, rest)
                return any(drop_s(each) in names for each in said)
    return False


def has_other_subjects(text, names):
    """Whether further clauses are about other topics: "tea is water: dogs are animals, cats are pets"."""
    subjects = re.findall(r"[,;:] (?:(?:a|an|the|and) )*([^\W\d_]+) (?:is|are)\b", text)
    return any(stem(each) in TOPIC_NAMES - names for each in subjects)


def repeats_itself(text, stems):
    """Whether a content word comes back again and again, or twice with nothing between."""
    counts = Counter(each for each in stems if each not in FUNCTION_WORDS)
    return max(counts.values(), default=0) > MOST_REPEATS or re.search(r"\b(\w+) \1\b", text) is not None


def reads_like_a_sentence(text, words, names):
    """A finite verb, and function words between the content words: a list of key words has neither."""
    run = longest = 0
    for word in words:
        run = 0 if word in FUNCTION_WORDS else run + 1
        longest = max(longest, run)
    verb = any(is_finite(word) for word in words if stem(word) not in names or word in AUXILIARIES)
    glue = any(word in FUNCTION_WORDS | EMPTY_WORDS and word not in JOINTS for word in words)
    joined = not JOINTS.isdisjoint(words)
    listed = not glue and (text.count(",") > MOST_COMMAS or (len(words) > LONGEST_WITHOUT_GLUE and not joined))
    return longest <= LONGEST_RUN and not listed and (verb or IS_SHORT.search(text) is not None)


def fits_few(words, info):
    """Whether the words belong to this topic, and to at most a fifth of all topics as much as to this one.

    A word that belongs to few topics says more. So "warm" alone says nothing about tea, since most things can be warm,
    and no fixed set of words fits more than a fifth of the topics.
    """
    found = {stem(word) for word in words}
    own = TOPICS.get(info["topic"]) or rarity_of_words(own_stems(info), info["kind"])
    said = sum(own.get(each, 0.0) for each in found)
    fits = Counter()
    for each in found:
        fits.update(TOPICS_OF.get(each, {}))
    return said > 0 and sum(other >= said for other in fits.values()) <= MOST_RIVALS * len(TOPICS)


def own_stems(info, sentence=""):
    """Stems of the words that belong to this topic itself: those that its task names, and those of its example."""
    said = (word for word in WORD.findall(sentence) if word not in FUNCTION_WORDS | EMPTY_WORDS)
    return frozenset(map(stem, itertools.chain(info["related"], said))) - topic_names(info)


def rarity_of_words(own, kind):
    """Stem -> how much it says about a topic with these own stems and this kind, in nats: the logarithm of how rare it
    is that a topic has it as its own, or at all.
    """
    count = len(ROWS)
    shared = {each: math.log(count / SHARERS[each]) for each in KIND_STEMS[kind] if each in SHARERS}
    return shared | {each: math.log(count / max(1, OWNERS[each])) for each in own}


def read_rows():
    """Topic -> (own stems, kind) of every task of the package, of both splits."""
    lines = [Path(__file__).with_name(name).read_text().splitlines() for name in ("tasks.jsonl", "test.jsonl")]
    rows = [json.loads(line) for line in itertools.chain(*lines)]
    return {row["info"]["topic"]: (own_stems(row["info"], row["answer"]), row["info"]["kind"]) for row in rows}


ROWS = read_rows()
TOPIC_NAMES = frozenset(stem(topic.split()[-1]) for topic in ROWS)
OWNERS = Counter(itertools.chain.from_iterable(own for own, _ in ROWS.values()))
"""Stem -> how many topics have it as one of their own."""

SHARERS = Counter(each for own, kind in ROWS.values() for each in own | KIND_STEMS[kind])
"""Stem -> how many topics it belongs to, as their own or their kind's."""

TOPICS = {topic: rarity_of_words(own, kind) for topic, (own, kind) in ROWS.items()}
TOPICS_OF = defaultdict(dict)
"""Stem -> topic -> how much it says about that topic, in nats."""
for _topic, _rarities in TOPICS.items():
    for _stem, _nats in _rarities.items():
        TOPICS_OF[_stem][_topic] = _nats
