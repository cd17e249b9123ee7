"""One word for one thing: the glossary explains it, and the words it replaced are gone."""

import re
import tokenize
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT

GLOSSARY = (DOCS / "reference" / "glossary.md").read_text()
ROWS = re.findall(r"^\| ([^|]+) \| (.+) \|$", GLOSSARY, re.MULTILINE)
WORDS = [word for word, meaning in ROWS if word not in ("word", "---")]
PAGES = [
    *sorted(page for page in DOCS.rglob("*.md") if page.parent.name != "decisions"),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
]
TEMPLATES = sorted((ROOT / "hub_server" / "site" / "templates").rglob("*.html"))
MESSAGES = sorted(
    path
    for folder in ("hub_client/commands", "hub_client/terminal", "hub_server/site/pages")
    for path in (ROOT / folder).rglob("*.py")
)

BANNED = {
    r"\bjaws?\b": "bracket, or upper bound",
    r"\blots?\b(?! of)": "queue of a release",
    r"\bdoors?\b": "socket",
    r"\bseats?\b": "place",
    r"\bdesks?\b": "shared context",
    r"\bwish(es)?\b": "request",
    r"\bbelts?\b": "tool session",
    r"\bsketch(es)?\b": "MinHash signature",
    r"\burgency\b": "priority",
    r"\blikeness\b": "similarity",
    r"\bshelf\b|\bshelves\b": "cache, or list",
    r"\bis fed with\b": "a registry of environments, tools and verifiers",
    r"\bcannot buy\b": "cannot earn",
    r"\basks nobody's time\b": "is ignored",
    r"\bgood once\b": "can be used once",
    r"\bmend(s|ed|ing)?\b": "fix, correct, or improve",
    r"\bspeaks? for it\b": "supports it",
}
"""Words of our own or riddles, and what is said instead."""
_MEANT = ("doors are doors are doors", "open_door", "lecture/service-desk")
"""Data that happens to hold one: what a hacked model wrote, a tool of an example, a package."""


def _guilty(text: str, pattern: str) -> list[str]:
    return [
        line.strip()
        for line in text.splitlines()
        if re.search(pattern, re.sub(r'class="[^"]*"', "", line)) and not any(meant in line for meant in _MEANT)
    ]


_NAMES = frozenset(
    ["jaw", "belt", "desk", "door", "seat", "parcel", "sketch", "urgency", "likeness", "shelf", "wish", "lot"]
)
"""Parts of names of classes and functions that were replaced everywhere."""


def test_no_name_in_the_code_holds_a_word_that_was_replaced() -> None:
    found = []
    for folder in (*_PACKAGES, "tests", "scripts"):
        for path in sorted(set((ROOT / folder).rglob("*.py")) - {Path(__file__)}):
            for name in re.findall(r"^\s*(?:class|(?:async )?def) (\w+)", path.read_text(), re.MULTILINE):
                words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
                if words & _NAMES and "service_desk" not in path.stem + name:
                    found.append(f"{path.relative_to(ROOT)}: {name}")
    assert found == []


@pytest.mark.parametrize("pattern", BANNED)
def test_a_word_that_was_replaced_is_gone(pattern: str) -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for path in [*PAGES, *TEMPLATES]
        if (lines := _guilty(path.read_text(), pattern))
    }
    assert found == {}, f"say {BANNED[pattern]}"


def test_no_message_says_jaw() -> None:
    texts = {path: re.findall(r'"[^"\n]*\bjaws?\b[^"\n]*"', path.read_text()) for path in MESSAGES}
    assert {str(path): found for path, found in texts.items() if found} == {}


def test_every_word_of_the_glossary_stands_once_and_has_one_line() -> None:
    assert len(WORDS) == len(set(WORDS))
    assert [meaning for _, meaning in ROWS if len(meaning) > 140] == []


@pytest.mark.parametrize("word", [word for word in WORDS if re.fullmatch("[a-z -]+", word)])
def test_every_word_of_the_glossary_is_used(word: str) -> None:
    others = [path for path in PAGES if path.name != "glossary.md"]
    assert any(re.search(rf"\b{word}s?\b", path.read_text(), re.IGNORECASE) for path in others)


@pytest.mark.parametrize(
    "word",
    ["digest", "split", "suite", "slice", "lock", "session", "threshold", "masked", "yanked", "quarantined", "group",
     "aggregator", "advantage", "node", "origin", "hollow", "first look", "second", "standing", "flip", "tool session"],
)  # fmt: skip
def test_a_word_that_pages_use_is_explained(word: str) -> None:
    assert word in WORDS


OTHER_SENSES = {
    "release": (
        r"\breleas(es?|ed|ing) (the|a|its|every) (box|slot|place|memory)\b",
        "give back: a release is a version",
    ),
    "yanked": (r"\b(pulled|retracted) releases?\b|\breleases? (is|are|was|were) (pulled|retracted)\b", "yanked"),
    "quarantined": (r"\b(blocked|banned) (releases?|packages?)\b", "quarantined; a name is blocked"),
    "suspended": (
        r"\b(banned|blocked|disabled) accounts?\b|\bsuspended (streams?|process(es)?)\b",
        "an account's state",
    ),
    "taken down": (r"\b(removed|deleted|erased) (releases?|packages?)\b", "taken down"),
    "digest": (r"\bfingerprints?\b", "digest"),
    "task": (r"\b(background|asyncio|async) tasks?\b", "a row of an environment"),
    "session": (r"\b(browser|command|login|database|ssh)('s)? sessions?\b", "a login; a transaction; a context"),
    "harness": (r"\btest harness(es)?\b", "the loop that drives a model; tests have fixtures"),
    "benchmark": (r"\b(micro|speed|sandbox|performance)[- ]?benchmarks?\b", "a package; scripts/bench measures speed"),
    "judge model": (r"\b(judging|grader|referee) models?\b", "judge model"),
    "masked": (r"\bmasked (and|out|by|from)\b", "lost to a fault of the machine; other samples are left out"),
    "suite": (r"\b(common|community|regression|probe|test|conformance|attack) suites?\b", "a package; code has tests"),
    "FPR": (r"\bfalse[- ]alarm rates?\b|/ false alarm\b", "FPR"),
    "interval": (r"\berror bars?\b|\bconfidence (bands?|intervals?)\b", "interval"),
    "leaderboard": (r"\b(league|ranking) tables?\b|\bscoreboards?\b", "leaderboard"),
    "trust level": (r"\btrust (scores?|grades?|ratings?)\b", "trust level"),
    "flip": (r"\bbit[- ]flips?\b", "a verdict that changed"),
    "probe": (r"\b(health|liveness|readiness) probes?\b", "a generated case; a machine is asked by a health check"),
    "counter-example": (r"(?-i:\bcounterexamples?\b)", "one spelling"),
    "reproduced": (r"\bconfirmed (case|cases|counter-examples?)\b", "reproduced: the label need not be right"),
    "question": (
        r"\bquestions? (to|of) (a|the|its) (judge )?models?\b|\bmost questions for one verdict\b",
        "what people label; a verifier makes model calls",
    ),
    "neighbour": (r"\bneighbour('s)? (calls?|process(es)?|box(es)?)\b|\bany neighbour\b", "a verifier that is alike"),
    "held-out verifier": (r"\b(watchers?|monitor(ing)? verifiers?)\b", "held-out verifier"),
    "corrected rate": (r"\bde-?biased rates?\b", "corrected rate"),
    "run": (r"\baudit runs?\b(?! )", "training or evaluation; an audit is an audit"),
    "grade": (r"\b(worse|better|good|hollow|own|package's) letters?\b|\bletter is at\b", "a grade, not a letter"),
    "standing": (r"\bstandings\b|\bstands? (where|in what order)\b", "of an account; a suite has a leaderboard"),
    "box": (r"\bsandbox containers?\b|\bjails?\b", "box"),
    "zygote": (r"\bfork[- ]?servers?\b", "zygote"),
    "call": (r"\bcalls? (made )?(to|of) (the|a) (policy|model)\b", "a request to a model is a model call"),
    "call group": (r"\bcall batch(es)?\b|\b(batch(es)?|groups?) of calls\b", "call group"),
    "isolation": (r"\bisolation modes?\b|\bsharing levels?\b", "isolation level"),
    "node": (r"\bworker (machines?|nodes?)\b", "node; a worker runs the hub's jobs"),
    "discussion": (r"\b(discussion|forum|comment) threads?\b", "discussion"),
    "stale": (r"\bstale (runs?|tokens?|pages?|caches?)\b|\bruns? (is|are) stale\b", "of a box; a run is silent"),
    "package": (r"\bartifacts?\b|\bpackage bundles?\b", "package, or file"),
    "reference": (r"\b(package|release) (spec|specifier|identifier|url)s?\b", "reference"),
    "lock": (r"\bpin(ned)? files?\b|\bfreeze files?\b|\block (manifest|snapshot)s?\b", "lock"),
    "journal": (r"\b(audit|append-only) logs?\b|\bledgers? of\b", "journal"),
    "split": (r"\b(sub)?sets? of tasks\b|\btask (sub)?sets?\b|\b(train(ing)?|test) (sub)?sets?\b", "split"),
    "tool": (r"(?<!NeMo/)\bskills?\b|\btool plug-?ins?\b", "tool"),
    "label": (r"\bground[- ]truths?\b", "label"),
    "role": (r"\breward (types?|classes|kinds?)\b|\bkinds? of rewards?\b", "role of a reward"),
    "private": (r"\b(hidden|secret|internal|unlisted) packages?\b", "private"),
    "case": (r"\btest cases?\b|\b(audit|labelled) (examples?|samples?|rows?|items?)\b", "case"),
    "second": (r"\b(endors|upvot)(e|es|ed|ing|ement)\b|\bvotes? for\b", "second"),
    "origin": (r"\bprovenance of (a|the) cases?\b|\bcase('s)? (sources?|provenance)\b", "origin"),
    "advantage": (r"\bdisadvantages?\b|\badvantage is that\b", "of a sample in its group; else say what is better"),
    "event": (r"\bnotifications?\b|\bactivity items?\b", "event; a mail is a mail"),
    "owner": (r"\b(maintainer|author)s? of (a|the) packages?\b", "owner; a maintainer is a member with that role"),
    "archived": (r"\b(frozen|closed|retired|discontinued) packages?\b", "archived"),
    "collection": (r"\bpackage lists?\b|\bplaylists?\b", "collection"),
    "episode": (r"\bplay-?throughs?\b", "episode"),
    "recipe": (r"\b(training|method) (configs?|configurations?|presets?)\b", "recipe"),
    "verdict": (r"\bverifier's (results?|outputs?)\b", "verdict"),
    "reward": (r"\breward signals?\b", "reward"),
    "threshold": (r"\bpass marks?\b|\bacceptance (levels?|limits?)\b|\bcut-off (values?|scores?)\b", "threshold"),
    "audit": (r"\b(security|licence|code) audits?\b|\baudit trails?\b", "of a verifier; people review code"),
    "slice": (r"\bstrat(a|um)\b|\bsub-?groups?\b|\bbreak-?downs?\b", "slice"),
    "FNR": (r"\bmiss rates?\b|\bfalse[- ]reject(ion)? rates?\b", "FNR"),
    "J": (r"\binformedness\b", "J"),
    "calliper": (r"\b(whisker|box|error) plots?\b|\bcalipers?\b", "calliper"),
    "disputed": (r"\b(contested|challenged|appealed|doubted) (cases?|labels?)\b", "disputed"),
    "rollout": (r"\brolled[- ]out\b|\b(staged|gradual) rollouts?\b", "what a model did; a version is deployed"),
    "aggregator": (r"\b(reducers?|combiners?|reward mixers?)\b", "aggregator"),
    "hollow": (r"\b(empty|unsupported|provisional|preliminary) grades?\b", "hollow"),
    "agreed": (r"\b(approved|ratified) counter-examples?\b", "agreed"),
    "tool session": (r"\btool (contexts?|servers?)\b", "tool session"),
    "not judged": (r"\b(un-?graded|skipped) (samples?|responses?|answers?|calls?)\b", "not judged"),
    "first look": (r"\bfirst[- ]glance\b|\bblind cases?\b", "first look"),
    "held case": (r"\b(secret|concealed|reserved) cases?\b", "held case; a moderator hides a case"),
    "band": (r"\bgrade (brackets?|tiers?|zones?)\b", "band"),
    "webhook": (r"\b(http|web|url) call-?backs?\b|\bpush notifications?\b", "webhook"),
    "delivery": (r"\bdispatch(es)? of (a|the) (message|webhook)s?\b", "delivery"),
    "policy": (
        r"\b(box(es)?|sandbox|strict|retry|access) polic(y|ies)\b|\bthe policy is `",
        "the model; a box has resources, a page a Content-Security-Policy",
    ),
}
"""Word of the glossary -> what it, or another word for the same thing, must not be used for; and what is said."""

NO_PATTERN = {
    "pages and modules about calls are searched by tests of their own, below": ("group",),
    "libraries of that name are named on many pages: NeMo Gym, Gymnasium": ("environment",),
    "libraries call theirs graders, checkers and reward functions, and pages tell of those": ("verifier",),
    "difficulty is the field's word for a task in item response theory, and an option of `search`": ("hardness",),
}
"""Why a word has no pattern -> the words."""
_PACKAGES = ("schemas", "sandbox", "hub_server", "hub_client", "trainer_bridge")
_ONLY_ON_PAGES = {
    "session": "code calls the database's and a browser's by their libraries' word",
    "run": "a verb there",
}


def test_every_word_of_the_glossary_has_a_pattern_or_a_reason_for_none() -> None:
    reasons = [word for words in NO_PATTERN.values() for word in words if word not in OTHER_SENSES]
    assert len(reasons) == len(set(reasons))
    missing = set(WORDS) - set(OTHER_SENSES) - set(reasons)
    assert missing == set(), "add what the word must not stand for to OTHER_SENSES"
    assert (set(OTHER_SENSES) | set(reasons)) - set(WORDS) == set(), "no word of the glossary"


@pytest.mark.parametrize("word", OTHER_SENSES)
def test_a_word_of_the_glossary_has_one_sense(word: str) -> None:
    pattern, said = OTHER_SENSES[word]
    pages = [page for page in (*PAGES, *TEMPLATES, *MESSAGES) if page.name != "glossary.md"]
    found = {str(page.relative_to(ROOT)): _guilty(page.read_text(), f"(?i){pattern}") for page in pages}
    assert {page: lines for page, lines in found.items() if lines} == {}, said


@pytest.mark.parametrize("page", ["sandbox", "threat_model", "many_machines", "metrics"])
def test_pages_about_calls_say_which_kind_of_group_they_mean(page: str) -> None:
    [path] = [one for one in PAGES if one.stem == page]
    bare = r"(?<!call )(?<!process )(?<!control )(?<!supplementary )\bgroups?\b(?!\.py)"
    assert _guilty(path.read_text(), f"(?i){bare}") == []


def test_the_words_have_one_sense_in_docstrings_and_comments_too() -> None:
    found = []
    for path in sorted(path for folder in _PACKAGES for path in (ROOT / folder).rglob("*.py")):
        prose = _prose(path)
        for word, (pattern, said) in OTHER_SENSES.items():
            if word not in _ONLY_ON_PAGES and (hit := re.search(f"(?i){pattern}", prose)):
                found.append(f"{path.relative_to(ROOT)}: {hit[0]}: {word} is {said}")
    assert found == []


def test_no_name_of_the_api_or_the_database_holds_a_word_that_was_replaced() -> None:
    import hub_server.wiring  # noqa: F401, PLC0415 -- loads every table
    from hub_server.database.base import Base  # noqa: PLC0415 -- the server is another package

    api = re.findall(r'"([\w.-]+)"', (ROOT / "tests/hub_server/openapi.json").read_text())
    tables = Base.metadata.tables.values()
    names = {*api, *(table.name for table in tables), *(column.name for table in tables for column in table.columns)}
    words = {name: set(re.split(r"[^a-z]+", name.lower())) for name in names}
    assert {name for name, parts in words.items() if parts & _NAMES} == set()


_KINDS_OF_GROUP = ("call", "process", "control", "task", "exception")
_GROUP = re.compile("".join(rf"(?<!\b{kind} )" for kind in _KINDS_OF_GROUP) + r"\bgroups?\b(?!\()", re.IGNORECASE)
_CODE_OF_CALLS = [
    path for folder in ("host", "guest", "cluster", "sessions") for path in (ROOT / "sandbox" / folder).rglob("*.py")
]


def _prose(path: Path) -> str:
    """Comments and docstrings, the code that they quote left out; what a line break separates stands together."""
    with path.open("rb") as file:
        kinds = (tokenize.COMMENT, tokenize.STRING)
        found = [token.string for token in tokenize.tokenize(file.readline) if token.type in kinds]
    prose = " ".join(one for one in found if one.startswith(("#", '"""')))
    return re.sub(r"``.*?``|\s+", " ", prose)


def test_code_that_runs_calls_says_which_kind_of_group_it_means() -> None:
    said = {str(path.relative_to(ROOT)): _GROUP.findall(_prose(path)) for path in _CODE_OF_CALLS}
    assert {path: found for path, found in said.items() if found} == {}
    names = [
        name for path in _CODE_OF_CALLS for name in re.findall(r"^class (\w*Group\w*)", path.read_text(), re.MULTILINE)
    ]
    assert names
    assert [name for name in names if "CallGroup" not in name] == []


def test_the_pages_of_a_hub_explain_words_as_the_glossary_does() -> None:
    from hub_server.site.rendering.glossary import WORDS as SHOWN  # noqa: PLC0415 -- the server is another package

    meanings = {word: re.sub("[`*]", "", text) for word, text in ROWS}
    assert {word: text for word, text in SHOWN if meanings.get(word) != text} == {}


def test_the_first_line_of_a_page_is_a_sentence_and_no_riddle() -> None:
    for path in PAGES:
        paragraphs = [part for part in path.read_text().split("\n\n")[1:] if part[0] not in "#|`!-"]
        if paragraphs and Path(path).parent.name in ("tutorials", "how_to"):
            words = paragraphs[0].split(". ")[0].split()
            assert len(words) <= 40, path
