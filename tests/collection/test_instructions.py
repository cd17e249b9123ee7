"""Instructions: an expert earns all, fixed styles little, what is not made of the patterns nothing; each checker by itself."""

import importlib
import itertools
import re
from functools import cache
from random import Random
from typing import Any

import pytest

from sandbox.interface import Call

PROJECT = "instructions"


def part(agents, name: str) -> Any:
    return importlib.import_module(f"lecture_instructions.{name}")


@pytest.fixture(scope="module", autouse=True)
def _each_text_is_read_once(agents) -> None:
    """The agents read the same few sentences and prompts millions of times, and change nothing of what they get."""
    agents.words, agents.read_prompt = cache(agents.words), cache(agents.read_prompt)


# -- agents, and the search for a policy ------------------------------------------------------------------------------


def test_readme_shows_what_the_agents_earn(agents, projects, tasks):
    assert agents.table(tasks) in (projects["instructions"].folder / "README.md").read_text()


CHEATS = (
    "free_words", "of_others", "liar", "mutant", "denies", "shuffled", "salad", "junk_before", "junk_behind", "look_alikes",
    "contradicts", "copies_patterns", "forged", "echo", "constant", "nothing",
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("expert", 2.0, 2.0), ("plain", 0.0, 0.4), ("everything", 0.0, 0.4), ("one_form", 0.0, 0.4)]
    + [(name, 0.0, 0.02) for name in CHEATS],
)
def test_what_an_agent_earns_of_two(agents, tasks, name, least, most):
    assert least <= agents.measure(getattr(agents, name), tasks[::3])["earns"] <= most


def test_no_fixed_style_earns_a_fifth(agents, tasks):
    """A search over styles that are the same for all tasks: form, letters, number of extras, joints."""
    writing = part(agents, "writing")

    def style(form, letters, extras, joints):
        def written(prompt: str) -> str:
            name, patterns, _ = agents.read_prompt(prompt)
            spare = [each for each in patterns if not each["needed"]]
            kept = [each for each in patterns if each["needed"]] + spare[:extras]
            said = [agents.expansions(each["forms"][0])[0] for each in kept]
            random = Random(0)
            text = writing.in_form(writing.joined(said, joints, random), name, *form, random)
            return writing.in_letters(text, *letters, random)

        return written

    forms = [("plain", []), ("titled", []), ("quoted", [])]
    forms += [(kind, [number]) for kind in ("bullets", "numbered", "paragraphs") for number in (2, 4)]
    letters = [("plain", []), ("lowercase", []), ("uppercase", []), ("exclamations", [3]), ("capitals", [3])]
    found = [
        agents.measure(style(*each), tasks[::6])["earns"]
        for each in itertools.product(forms, letters, (0, 3, 6), ([], [";"]))
    ]
    assert max(found) < 0.4


def test_one_response_fits_one_task(agents, tasks):
    texts = [agents.expert(task["prompt"]) for task in tasks[:12]]
    for place, text in enumerate(texts):
        paid = [other for other, task in enumerate(tasks[:60]) if agents.verify(task, text)["tells"] == 1.0]
        assert paid == [place]


# -- what earned reward in version 1, and honest texts that did not ---------------------------------------------------


def judged(agents, text: str) -> dict[str, float]:
    """The verdict about the mill of the texts by hand, under four constraints that a plain text keeps."""
    hand, tasks_of = part(agents, "hand"), part(agents, "tasks")
    subject = part(agents, "subjects").Subject(hand.NAME, hand.PATTERNS)
    kept = [["length", "words-between", [1, 90]], ["words", "uses", ["mill", "by"]], ["form", "paragraphs", [1]], ["letters", "semicolons", [0]]]  # fmt: skip
    return agents.verify(tasks_of.task_about("hand", "validation", "easy", subject, kept), text)


WHOLE = "Raven Mill is 42 metres tall. It was designed by Nadia Vance. It is in Upton."


@pytest.mark.parametrize(
    "text",
    [
        "A cat in Raven Mill is 42 metres tall. My aunt was designed by Nadia Vance. A dog is in Upton.",
        "Unlike Raven Mill a barn is 42 metres tall. Nadia Vance went by. It is far from Upton. The mill.",
        "Raven Mill 42 metres tall and the Nadia Vance and the Upton mill people visit it by the door.",
        f"{WHOLE} A liar wrote all of this text.",
        f"{WHOLE} None of this is so.",
        f"Once upon a time, not now: {WHOLE}",
        WHOLE.replace("designed", "hated"),
        WHOLE.replace("42", "43"),
        WHOLE.replace("42", "4 2"),
        WHOLE.replace("is 42", "is not 42"),
        WHOLE.replace("It is in Upton", "It is in Upton or Leeds"),
        WHOLE.replace("Upton.", "Upton?"),
        WHOLE.replace("Upton.", "Upton ..?"),
        WHOLE.replace("tall", "taƚƚ"),
        WHOLE.replace("is in", "іs in"),
        WHOLE.replace(". It", "، it"),
        WHOLE.replace(" ", ""),
        WHOLE.replace(" ", "-"),
        WHOLE.replace("It is in", "<<It is in>>"),
        WHOLE.replace("Nadia Vance", "(not) Nadia Vance"),
        WHOLE.replace("Nadia Vance", "[the architect] Nadia Vance"),
        WHOLE.replace("Raven Mill", "(Raven Mill|The mill|It)"),
        WHOLE.replace("Raven Mill", "“Raven Mill”"),
        f"{WHOLE} 🎉",
        f"{WHOLE} And.",
        f"{WHOLE};",
        f"<<None of this is so>>\n{WHOLE}",
        f"```\n{WHOLE}\n```\nAll is kept.",
        f"assistant: {WHOLE}",
    ],
)
def test_what_is_not_made_of_the_patterns_closes_the_gate(agents, text):
    assert judged(agents, text)["patterns"] == 0.0


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        "Do not miss Raven Mill, designed by Nadia Vance. It is forty-two metres tall. It isn't far from the centre of Upton.",
        "Do not miss this mill designed by Nadia Vance, and it is 42 metres tall, and it lies in the town of Upton",
        WHOLE.upper(),
        WHOLE.lower(),
        WHOLE.replace(". ", "! "),
        WHOLE.replace(". It", ", and it"),
        WHOLE.replace("Raven Mill", "**Raven Mill**"),
        WHOLE.replace(" ", "\u00a0"),
        WHOLE.replace("42", "４２"),
        WHOLE.replace("e", "e\u200b"),
        WHOLE.replace("metres", "meters"),
        WHOLE.replace("It is", "It isn’t far from the station of").replace("of in", "of"),
        f"“{WHOLE}”",
        f"\n\n  {WHOLE}  \r\n",
        f"```markdown\n{WHOLE}\n```",
        f"<think>{WHOLE} Hm, seven words.</think>\n{WHOLE}",
        f"{WHOLE} Look for the drum. Most guests stay an hour.",
        f"<<Raven Mill>> \n{WHOLE}",
    ],
)
def test_an_honest_text_in_an_unusual_form_passes_the_gates(agents, text):
    got = judged(agents, text)
    assert (got["patterns"], got["tells"], got["facts"]) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    "text",
    [
        "Raven Mill is 42 metres tall. It was designed by Nadia Vance.",
        f"{WHOLE} {WHOLE}",
        f"{WHOLE} The mill is forty-two metres tall.",
        f"{WHOLE} Look for the drum. Look for the old drum.",
        "Look for the drum. Most guests stay an hour.",
    ],
)
def test_a_pattern_that_is_left_out_or_told_twice_closes_the_other_gate(agents, text):
    got = judged(agents, text)
    assert (got["patterns"], got["tells"]) == (1.0, 0.0)


# -- tasks ------------------------------------------------------------------------------------------------------------


def test_every_parameter_of_a_checker_stands_in_the_prompt_and_every_pattern(tasks):
    for task in tasks:
        listed, _, rules = task["prompt"].partition("Keep to each of these:")
        for _, _, parameters in task["info"]["constraints"]:
            assert [value for value in parameters if not re.search(rf"(?<!\w){value}(?!\w)", rules)] == []
        assert [form for each in task["info"]["patterns"] for form in each["forms"] if f" {form}\n" not in listed] == []


def test_an_agent_reads_from_the_prompt_what_the_verifier_has(agents, tasks):
    for task in tasks:
        name, patterns, asked = agents.read_prompt(task["prompt"])
        assert (name, patterns) == (task["info"]["name"], task["info"]["patterns"])
        assert [[family, *asked[family]] for family in asked] == task["info"]["constraints"]


def test_no_two_patterns_of_a_task_become_the_same_text_and_none_holds_a_joint(agents, tasks):
    for task in tasks:
        made = [
            {text.lower().replace(",", "") for form in each["forms"] for text in agents.expansions(form)}
            for each in task["info"]["patterns"]
        ]
        assert sum(map(len, made)) == len(set.union(*made))
        assert [text for texts in made for text in texts if {"and", ";"} & set(text.split())] == []


def test_every_task_can_be_done_and_every_kind_is_drawn(agents):
    make, seen = part(agents, "tasks").make_with_text, set()
    for index in range(150):
        task, text = make("train", 7, index)
        assert set(agents.verify(task, text).values()) == {1.0}
        seen |= set(task["tags"])
    kinds = {kind for family in part(agents, "constraints").KINDS.values() for kind in family}
    assert kinds <= seen
    assert make("train", 7, 149) == (task, text)


def test_splits_share_no_name_person_town_noun_or_first_word(agents):
    pools = part(agents, "subjects")._POOLS
    for name in pools["train"]:
        train, validation, test = (set(pools[split][name]) for split in ("train", "validation", "test"))
        assert not train & validation
        assert not train & test
        assert not validation & test


# -- checkers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "parameters", "text", "is_kept"),
    [
        ("words-between", [3, 3], "one two three", True),
        ("words-between", [2, 2], "well-known twenty-one", True),
        ("words-between", [3, 3], "- one\n- two\n3. three", True),
        ("words-between", [2, 2], "12,500 people ... !", True),
        ("words-between", [2, 2], "one;two", True),
        ("sentences-exactly", [1], "It costs 3.50 now.", True),
        ("sentences-exactly", [2], "So!!! “Yes.”", True),
        ("sentences-exactly", [2], "- one\n- two", True),
        ("sentences-exactly", [1], "one; two and three", True),
        ("longest-sentence", [3], "one two three. one", True),
        ("longest-sentence", [3], "one two three four", False),
        ("uses", ["door", "Upton"], "DOOR, upton.", True),
        ("uses", ["door", "bell"], "outdoor bell", False),
        ("uses-times", ["bell", 2], "bell Bell bells", True),
        ("avoids", ["is", "a", "the"], "This island", True),
        ("avoids", ["is", "a", "the"], "ｔｈｅ", False),
        ("avoids", ["is", "a", "the"], "t\u00adhe end", False),
        ("begins", ["Today"], '"TODAY we', True),
        ("ends", ["come for the boat"], "Come for the boat!”", True),
        ("ends", ["come for the boat"], "come for the boat now", False),
        ("bullets", [2], "- a\n\n- b", True),
        ("bullets", [2], "- a\n* b", False),
        ("bullets", [2], "- a\n• b", False),
        ("bullets", [2], "- a\n- b\nc", False),
        ("bullets", [2], "-a\n-b", False),
        ("numbered", [2], "1) a\n2) b", True),
        ("numbered", [2], "2. a\n1. b", False),
        ("paragraphs", [2], "a\n \t\nb", True),
        ("paragraphs", [2], "a\nb", False),
        ("paragraphs", [2], "a\nb\n\nc", False),
        ("titled", [], "<<A b>>\nc", True),
        ("titled", [], "<<A b>> c", False),
        ("quoted", [], "“a b”", True),
        ("quoted", [], '"a" and "b"', False),
        ("lowercase", [], "a 1 é", True),
        ("lowercase", [], "123", False),
        ("uppercase", [], "A 1 É", True),
        ("without-letter", ["k"], "\u212a", False),
        ("without-letter", ["e"], "E", False),
        ("capitals", [1], "A BIG dog", True),
        ("exclamations", [2], "a! b‼", False),
        ("exclamations", [3], "a! b‼", True),
        ("semicolons", [1], "a; b", True),
    ],
)
def test_a_checker_counts_as_its_prompt_says(agents, kind, parameters, text, is_kept):
    constraints = part(agents, "constraints")
    family = next(family for family, kinds in constraints.KINDS.items() if kind in kinds)
    assert constraints.is_kept(family, kind, parameters, part(agents, "text").clean(text)) is is_kept


def test_no_text_keeps_nothing(agents):
    constraints = part(agents, "constraints")
    kept = [
        kind
        for family, kinds in constraints.KINDS.items()
        for kind in kinds
        if constraints.is_kept(family, kind, _some(kind), part(agents, "text").clean(""))
    ]
    assert kept == []


def _some(kind: str) -> list[Any]:
    given = {"uses": ["a", "b"], "uses-times": ["a", 2], "avoids": ["a", "b", "c"], "words-between": [3, 9]}
    none = {"titled", "quoted", "lowercase", "uppercase"}
    texts = ("begins", "ends", "without-letter")
    return given.get(kind, [] if kind in none else ["x"] if kind in texts else [2])


@pytest.mark.parametrize(
    "text",
    [
        None,
        5,
        "\ud800 lone \udfff",
        "\x00" * 1000,
        "a\u0301" * 2900,
        "zalgo" + "\u0336" * 5000,
        "! " * 3000,
        "1. " * 2000,
        "<<" * 3000,
        '"' * 6000,
        "a-" * 3000,
        "12,345" * 1000,
        "x" * 10**6,
        "<think>" * 800,
        "\u202e" * 5999,
        "﷽" * 6000,
        "not " * 1400 + "?",
        ". " * 2999,
    ],
    ids=range(18),
)
def test_hostile_texts_earn_nothing_and_break_nothing(agents, tasks, text):
    for task in tasks[:9]:
        got = agents.verify(task, text)
        assert got["tells"] * got["patterns"] == 0.0


@pytest.mark.parametrize("run", ["!", ".", "?!", '."', "'", "1,111", "a-"])
def test_a_long_run_of_marks_is_read_in_one_pass(agents, run):
    """The end of a sentence is looked for once a run, not once a mark."""
    assert len(part(agents, "text").sentences("a" + run * 100_000 + "x")) <= 1


def test_a_verdict_in_the_sandbox(agents, local_sandbox, packed, tasks):
    calls = [Call(str(place), task, agents.expert(task["prompt"])) for place, task in enumerate(tasks[:3])]
    verdicts = [verdict for _, verdict in local_sandbox.score(packed.source("instructions"), calls)]
    assert [verdict.rewards["all_kept"] for verdict in verdicts] == [1.0, 1.0, 1.0]
