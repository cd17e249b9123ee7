"""Instructions: an expert earns all, whoever looks at no constraint little, gibberish nothing; each checker by itself."""

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from sandbox.interface import Call

LENGTHS = ("words-between", "sentences-exactly", "longest-sentence")


@pytest.fixture(scope="module")
def agents(projects) -> Iterator[Any]:
    """The project's scripted agents, and with them the package."""
    folder = projects["instructions"].folder
    spec = importlib.util.spec_from_file_location("instructions_agents", folder / "agents.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(folder / "src"))
    for name in [name for name in sys.modules if name.partition(".")[0] == "lecture_instructions"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def tasks(projects) -> list[dict[str, Any]]:
    return projects["instructions"].rows("test.jsonl")


def part(agents, name: str) -> Any:
    return importlib.import_module(f"lecture_instructions.{name}")


# -- agents, and the search for a policy ------------------------------------------------------------------------------


def test_readme_shows_what_the_agents_earn(agents, projects, tasks):
    assert agents.table(tasks) in (projects["instructions"].folder / "README.md").read_text()


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("expert", 2.0, 2.0), ("tells_only", 0.0, 0.4), ("one_form", 0.0, 0.4)]
    + [(name, 0.0, 0.02) for name in ("shuffled", "padded", "salad", "bare_facts", "denies", "echo", "constant")]
    + [(name, 0.0, 0.0) for name in ("claims", "nothing")],
)
def test_what_an_agent_earns_of_two(agents, tasks, name, least, most):
    assert least <= agents.measure(getattr(agents, name), tasks[::3])["earns"] <= most


def test_no_template_of_facts_earns_a_fifth(agents, tasks):
    """Facts told in one fixed style: lists, cases, marks, titles and lengths that many tasks ask for."""
    styles = [
        str.upper,
        str.lower,
        lambda text: "- " + text.replace(". ", ".\n- ", 2),
        lambda text: f'"{text}"',
        lambda text: f"<<A place>>\n{text} " + " ".join(f"{line.strip('.')}." for line in agents.FILLERS[:4]),
        lambda text: text.replace(". ", "!\n\n", 2).replace(",", ""),
        lambda text: "\n".join(f"{place}. {line}" for place, line in enumerate(text.split(". ")[:3], 1)),
    ]
    for style in styles:
        got = agents.measure(lambda prompt, style=style: style(agents.tells_only(prompt)), tasks[::3])
        assert got["earns"] < 0.4


def test_one_response_fits_one_task(agents, tasks):
    texts = [agents.expert(task["prompt"]) for task in tasks[:12]]
    for place, text in enumerate(texts):
        paid = [other for other, task in enumerate(tasks[:60]) if agents.verify(task, text)["tells"] == 1.0]
        assert paid == [place]


# -- tasks ------------------------------------------------------------------------------------------------------------


def test_every_parameter_of_a_checker_stands_in_the_prompt_and_every_fact(tasks):
    for task in tasks:
        rules = task["prompt"].partition("Keep to each of these:")[2]
        for _, _, parameters in task["info"]["constraints"]:
            assert [value for value in parameters if not re.search(rf"(?<!\w){value}(?!\w)", rules)] == []
        assert [value for value in task["info"]["facts"].values() if value not in task["prompt"]] == []


def test_an_agent_reads_from_the_prompt_what_the_verifier_has(agents, tasks):
    for task in tasks:
        subject, asked = agents.read_prompt(task["prompt"])
        assert (subject.name, subject.facts) == (task["info"]["name"], task["info"]["facts"])
        assert [[family, *asked[family]] for family in asked] == task["info"]["constraints"]


def test_every_task_can_be_done_and_every_kind_is_drawn(agents):
    make, seen = part(agents, "tasks").make_with_text, set()
    for index in range(150):
        task, text = make("train", 7, index)
        assert set(agents.verify(task, text).values()) == {1.0}
        seen |= set(task["tags"])
    kinds = {kind for family in part(agents, "constraints").KINDS.values() for kind in family}
    assert kinds <= seen
    assert make("train", 7, 149) == (task, text)


def test_splits_share_no_name_person_town_or_word(agents):
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
        ("words-between", [3, 3], "one—two—three", True),
        ("words-between", [2, 2], "well-known twenty-one", True),
        ("words-between", [1, 2], "a-b-c-d-e-f-g", False),
        ("words-between", [3, 3], "- one\n- two\n3. three", True),
        ("words-between", [2, 2], "12,500 — people ...", True),
        ("words-between", [1, 1], "one.two.three", False),
        ("sentences-exactly", [2], "It is e.g. old. Dr. Bell knows", True),
        ("sentences-exactly", [1], "It costs 3.50 now.", True),
        ("sentences-exactly", [2], "So!!! “Yes.”", True),
        ("sentences-exactly", [2], "- one\n- two", True),
        ("longest-sentence", [3], "one two three. one", True),
        ("longest-sentence", [3], "one two three four", False),
        ("uses", ["door", "bell"], "DOOR, the bell’s", True),
        ("uses", ["door", "bell"], "outdoor bell", False),
        ("uses-times", ["bell", 2], "bell Bell bells", True),
        ("avoids", ["is", "a", "the"], "This island", True),
        ("avoids", ["is", "a", "the"], "ｔｈｅ", False),
        ("avoids", ["is", "a", "the"], "t\u00adhe end", False),
        ("begins", ["Today"], '"TODAY we', True),
        ("ends", ["come for the boat"], "Come for the boat!”", True),
        ("ends", ["come for the boat"], "come for the boat now", False),
        ("bullets", [2], "- a\n\n* b", True),
        ("bullets", [2], "- a\n- b\nc", False),
        ("bullets", [2], "-a\n-b", False),
        ("numbered", [2], "1) a\n2) b", True),
        ("numbered", [2], "2. a\n1. b", False),
        ("paragraphs", [2], "a\n \t\nb", True),
        ("paragraphs", [2], "a\nb", False),
        ("one-line", [], "a b", True),
        ("one-line", [], "a\u2028b", True),
        ("titled", [], "<<A b>>\nc", True),
        ("titled", [], "<<A b>> c", False),
        ("quoted", [], "„a b“", True),
        ("quoted", [], '"a" and "b"', False),
        ("lowercase", [], "a 1 é", True),
        ("lowercase", [], "123", False),
        ("uppercase", [], "A 1 É", True),
        ("no-commas", [], "a، b", False),
        ("without-letter", ["e"], "é", False),
        ("without-letter", ["k"], "\u212a", False),
        ("capitals", [1], "A BIG dog", True),
        ("exclamations", [2], "a! b‼", False),
        ("exclamations", [3], "a! b‼", True),
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
    none = {"one-line", "titled", "quoted", "lowercase", "uppercase", "no-commas"}
    return given.get(kind, [] if kind in none else [2] if kind in (*LENGTHS, "bullets", "numbered", "paragraphs", "capitals", "exclamations") else ["x"])  # fmt: skip


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
        assert got["all_kept"] * got["tells"] * got["fluent"] == 0.0
        assert got["tells"] * got["fluent"] == 0.0


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("It is 104 metres long.", True),
        ("Its 104-metre hall", True),
        ("It is 104m long", True),
        ("It isn't just 104 metres long, it is grand.", True),
        ("It is less than 104 metres long.", False),
        ("It is not 104 metres long.", False),
        ("It is 1104 metres long.", False),
        ("It is 104.5 metres long.", False),
        ("Is it 104 metres long?", False),
        ("It opened 104 years ago.", False),
        ("Maybe it is 104 metres long.", False),
    ],
)
def test_a_fact_is_told_by_its_value_and_not_by_a_bound_or_a_denial(agents, said, told):
    assert (part(agents, "telling").facts_told(said, {"size": "104 metres long"}) == ["size"]) is told


@pytest.mark.parametrize("run", ["!", ".", "?!", '."', "'", "1,111", "a-"])
def test_a_long_run_of_marks_is_read_in_one_pass(agents, run):
    """The end of a sentence is looked for once a run, not once a mark."""
    assert len(part(agents, "text").sentences("a" + run * 100_000 + "x")) <= 1


def test_a_verdict_in_the_sandbox(agents, local_sandbox, packed, tasks):
    calls = [Call(str(place), task, agents.expert(task["prompt"])) for place, task in enumerate(tasks[:3])]
    verdicts = [verdict for _, verdict in local_sandbox.score(packed.source("instructions"), calls)]
    assert [verdict.rewards["all_kept"] for verdict in verdicts] == [1.0, 1.0, 1.0]
