"""Whether a sentence says something about its topic: what the thin version 1 did not ask, and a model found out."""

import itertools
import re
import tomllib
from collections import Counter
from pathlib import Path

from lecture_plain_style.english import AUXILIARIES, EMPTY_WORDS, FUNCTION_WORDS, drop_s, is_finite, stem

# Talk about the instruction instead of the topic: a model that is paid for lowercase sentences writes about those.
META = re.compile(
    r"\b(?:sentences?|lower-?\s?cased?|upper-?\s?cased?|capitali[sz]\w*|capital letters?|prompts?|chatbot|"
    r"assistants?|language model|as an ai|(?:small|little|lower|simple|plain|only|these|no) letters|letters only|"
    r"(?:short|single|one|brief|few) (?:phrase|statement|description|paragraph|word)s?|describe (?:it|them)|"
    r"you asked|i (?:can|will|would|could|am|have|was)|i'll|i'm|instructions? (?:is|are|was|were|to|for))\b"
)
PREAMBLE = re.compile(
    r"^\W*(?:sure|certainly|of course|okay|ok|yes|here(?:'s| is| are)|(?:the )?answer|response|output|describe)\b"
)
MARKUP = re.compile(r"[{}<>\[\]=|\\@#$^~]|https?:")
DENIAL = re.compile(r"\b(?:is|are) (?:not|never)\b(?! (?:just|only|merely))|\b(?:isn't|aren't)\b")
IS_SHORT = re.compile(r"'s (?:a|an|the|like|so|one|not|what|when|where|how)\b|'re\b")

COPULAS, ARTICLES = {"is", "are", "was", "were", "means"}, {"a", "an", "the", "very", "just"}

JOINTS = {"and", "or"}
"""Function words that a mere list has too."""

MOST_REPEATS, LONGEST_RUN, LONGEST_WITHOUT_GLUE, MOST_COMMAS = 2, 6, 5, 2
"""How often one content word may occur; how many words may follow each other without a function word; how long a
sentence may be that has no function word ("bees make honey" is one), and how many commas it may have."""

KIND_STEMS = {
    kind: frozenset(map(stem, words.split()))
    for kind, words in tomllib.loads(Path(__file__).with_name("kinds.toml").read_text()).items()
}


def score_topic(text, info):
    """Half for a sentence that names its topic, half for a word in it that belongs there; 0 for whatever looks like a
    cheat. Further truth is not judged.
    """
    text = re.sub(r"[*_`]+", "", text.lower().replace("’", "'"))
    words = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)*", text)
    names = topic_names(info)
    stems = [stem(word) for word in words]
    if META.search(text) or PREAMBLE.search(text) or MARKUP.search(text) or names.isdisjoint(stems):
        return 0.0
    if denies(text) or repeats_itself(text, stems) or is_circular(words, info):
        return 0.0
    is_sentence = reads_like_a_sentence(text, words, names)
    is_apt = any(belongs(word, info) for word in words_beside(names, words))
    return 0.5 * is_sentence + 0.5 * is_apt


def topic_names(info):
    """Stems by which the topic may be named: its last word, and other names of the task ("photo" for photographs)."""
    return {stem(info["topic"].split()[-1]), *map(stem, info.get("names", []))}


def words_beside(names, words):
    """The content words of ``words`` that are not the topic's own name."""
    return [word for word in words if word not in FUNCTION_WORDS | EMPTY_WORDS and stem(word) not in names]


def denies(text):
    """Whether the sentence only says what its topic is not."""
    return DENIAL.search(text) is not None and " but " not in text and "?" not in text


def is_circular(words, info):
    """Whether the sentence explains its topic by itself: "rivers are rivers", "beds are large beds that ..."."""
    names = {drop_s(info["topic"].split()[-1]), *info.get("names", [])}
    for place, word in enumerate(words[:-1]):
        if drop_s(word) in names and words[place + 1] in COPULAS:
            said = itertools.takewhile(lambda each: each in ARTICLES or each not in FUNCTION_WORDS, words[place + 2 :])
            return any(drop_s(each) in names for each in said)
    return False


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


def belongs(word, info):
    """Whether ``word`` is one of the task's own words or of its kind's."""
    found = stem(word)
    return found in KIND_STEMS[info["kind"]] or any(found == stem(own) for own in info["related"])
