"""Cited search: who reads and quotes what shows the answer earns, nobody else; abstention is right where nothing tells."""

import importlib.util
import re
from typing import Any

import pytest

from sandbox.interface import Call
from tests.collection.episodes import call, malformed, played, sent

PROJECT = "cited-search"


@pytest.fixture
def world_of(part):
    return lambda task: part("world").make_world(**task["info"])


@pytest.fixture(scope="module")
def counting(package, projects):
    """The scripts that count words, which lie beside the package."""
    where = projects[PROJECT].folder / "counting.py"
    spec = importlib.util.spec_from_file_location(f"{package.__name__}_counting", where)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def asked(package, world_of):
    """The verdict of an answer after all that is needed was read."""

    def run(task: dict[str, Any], **given: Any) -> dict[str, float]:
        world = world_of(task)
        needed = {min(idents) for idents, _ in world.evidence} | set(world.about)
        calls = [call("search", words=task["prompt"]), *(call("open", id=ident) for ident in sorted(needed))]
        quotes = [text for _, text in world.evidence]
        answer = call("answer", **{"found": True, "answer": world.value, "quotes": quotes, **given})
        return played(package, task, *map(sent, calls), sent(answer))

    return run


def of_family(tasks: list[dict[str, Any]], family: str) -> dict[str, Any]:
    return next(task for task in tasks if task["tags"][0] == family)


# -- agents, and the search for a policy ------------------------------------------------------------------------------


def test_readme_shows_what_the_agents_earn(agents, projects, tasks):
    assert agents.table(tasks) in (projects[PROJECT].folder / "README.md").read_text()


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("expert", 1.5, 1.5), ("believes_all", 0.7, 1.2), ("own_article_alone", 0.5, 1.0), ("first_sentence", 0.0, 0.2)]
    + [("most_words", 0.0, 0.05)]
    + [(name, 0.3, 0.65) for name in ("never_quotes", "quotes_everything")]
    + [(name, 0.0, 0.15) for name in ("quotes_a_part", "quotes_its_own_words", "looks_and_abstains")]
    + [(name, 0.0, 0.0) for name in ("never_opens", "abstains", "says_nothing")],
)
def test_what_an_agent_earns_of_one_and_a_half(agents, tasks, name, least, most):
    assert least <= agents.measure(getattr(agents, name), tasks[:65])["earns"] <= most


def test_no_script_that_counts_words_earns_a_fifth(counting, projects, tasks):
    """On the whole test split, whatever is weighed, and also where the kind of the answer is known and rumours are."""
    found = list(counting.measure(tasks))
    assert len(found) == 360
    assert max(share for share, _ in found) < 0.2
    assert max(share for share, script in found if script[2] == counting.KNOWN[0]) < 0.05
    assert counting.table(found) in (projects[PROJECT].folder / "README.md").read_text()


def test_a_script_that_knows_which_sentences_tell_is_paid(counting, tasks):
    """The same page earns where it is right, so that the scripts fail by their choice and by nothing else."""
    page = counting.Page(next(task for task in tasks if task["tags"][0] == "direct"))
    world = counting.make_world(**page.task["info"])
    [(_, sentence)] = world.evidence
    assert page.verdict(world.value, sentence) == 1.0


@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_a_sentence_that_misleads_has_more_of_the_questions_words(part, split):
    """By count and by share: the telling sentence has the subject's name, and at most one other word."""

    def overlap(attribute: Any, text: str) -> tuple[int, float]:
        asked, said = (set(re.findall(r"\w+", each.lower())) for each in (attribute.question, text))
        return len(asked & said), len(asked & said) / len(said)

    for each in part("wordings").attributes_of(split):
        (telling, share), (misleading, larger) = overlap(each, each.sentence), overlap(each, each.decoy)
        assert telling <= 2 < misleading, each.name
        assert share < larger, each.name
        assert telling <= min(overlap(each, text)[0] for text in each.near), each.name


@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_every_question_has_sentences_that_mislead_where_the_answer_is(part, split):
    """Of the same subject, with another value of the same kind: one in the question's words, one in those of the answer."""
    for index in range(130):
        world = part("world").make_world(split, 5, index)
        right = {(fact.subject, fact.value) for fact in world.needed}
        lures = [told.lure for _, told in world.lures()]
        assert len(lures) >= 3, world.prompt
        assert not right & {(lure.subject, lure.value) for lure in lures}
        assert not any(told.fact for _, told in world.lures())


def test_no_fixed_way_of_reading_earns_a_fifth(agents, tasks):
    """A policy search: which hit is opened, which sentence is quoted and which word of it is the answer."""
    best = 0.0
    for hit in range(3):
        for place in range(1, 13):

            def fixed(prompt: str, call: Any, hit: int = hit, place: int = place) -> None:
                idents = [line[:3] for line in call("search", words=prompt).splitlines()]
                said = agents.sentences(call("open", id=idents[min(hit, len(idents) - 1)]).partition("\n")[2])
                quote = said[min(place, len(said) - 1)]
                call("answer", found=True, answer=quote.rstrip(".").split()[-1], quotes=[quote])

            best = max(best, agents.measure(fixed, tasks[:65])["earns"])
    assert best < 0.3  # of 1.5


def test_calls_that_are_right_for_one_question_are_right_for_no_other(package, tasks, world_of):
    for place, task in enumerate(tasks[:26]):
        world = world_of(task)
        idents = {min(idents) for idents, _ in world.evidence} | set(world.about)
        calls = [{"name": "search", "arguments": {"words": "x"}}]
        calls += [{"name": "open", "arguments": {"id": ident}} for ident in sorted(idents)]
        given = {"found": bool(world.evidence), "quotes": [text for _, text in world.evidence]}
        given["answer"] = world.value if world.evidence else ""
        state = {"calls": [*calls, {"name": "answer", "arguments": given}]}
        paid = [other for other, each in enumerate(tasks[:52]) if package.verify(each, state)["supported"]]
        assert paid[:1] == [place] if not world.evidence else paid == [place]


def test_the_best_constant_answer_earns_nothing(package, tasks):
    """No answer is right without reading, and no article is everybody's."""
    for calls in ([], [call("search", words="the")], [call("search", words="the"), call("open", id="a01")]):
        for given in ({"found": False}, {"found": True, "answer": "1850"}, {"found": True, "answer": "the mayor"}):
            paid = [played(package, task, *map(sent, [*calls, call("answer", **given)])) for task in tasks[:65]]
            assert sum(got["supported"] for got in paid) <= (1 if calls[1:] else 0)


# -- what shows an answer ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["direct", "rumour", "namesake", "elsewhere", "two-steps", "compare"])
def test_every_family_is_answered_by_its_sentences(asked, tasks, world_of, family):
    task = of_family(tasks, family)
    assert asked(task)["supported"] == asked(task)["genuine"] == 1.0
    quotes = [text for _, text in world_of(task).evidence]
    assert asked(task, quotes=quotes[:-1])["supported"] == 0.0


@pytest.mark.parametrize("copied", ['"{}"', '"{}".', "'{}'", "“{}”", "{}."])
def test_marks_around_a_quote_make_no_difference(asked, tasks, world_of, copied):
    task = of_family(tasks, "direct")
    [(_, sentence)] = world_of(task).evidence
    assert asked(task, quotes=[copied.format(sentence.removesuffix("."))])["supported"] == 1.0


def test_a_sentence_inside_of_a_rumour_is_no_sentence(asked, tasks, world_of):
    task = of_family(tasks, "rumour")
    world = world_of(task)
    plaque = next(text for text in world.articles[world.about[0]].sentences if text.startswith("A plaque"))
    inner = plaque.split('"')[1]
    assert asked(task, quotes=[inner])["genuine"] == 0.0
    assert asked(task, quotes=[plaque])["supported"] == 0.0


@pytest.mark.parametrize("family", ["direct", "rumour", "namesake", "elsewhere", "two-steps", "compare"])
def test_a_quote_that_misleads_supports_nothing(package, part, tasks, world_of, family):
    """The right answer by it is right and not supported; its own value is wrong, also beside the right quote."""
    task = of_family(tasks, family)
    world, another = world_of(task), part("cases").another
    idents = {min(idents) for idents, _ in world.evidence}
    quotes = [text for _, text in world.evidence]
    for where, told in world.lures():
        calls = [call("search", words="x"), *(call("open", id=ident) for ident in sorted({*idents, where}))]

        def verdict(answer: str, quoted: list[str], calls: list[dict[str, Any]] = calls) -> dict[str, float]:
            return played(package, task, *map(sent, [*calls, call("answer", found=True, answer=answer, quotes=quoted)]))

        right = verdict(world.value, [told.text])
        assert (right["correct"], right["supported"], right["genuine"]) == (1.0, 0.0, 1.0), told.text
        false = another(world) if world.kind == "name" else told.lure.value
        assert verdict(false, [told.text])["correct"] == verdict(false, quotes)["correct"] == 0.0
        assert verdict(world.value, [*quotes, told.text])["supported"] == 1.0, "one other is allowed"


def test_a_quote_of_the_namesake_shows_nothing(package, part, tasks, world_of):
    task = of_family(tasks, "namesake")
    world = world_of(task)
    [(twin, text)] = part("cases").told_of_a_namesake(world)
    calls = [call("search", words="x"), call("open", id=world.about[0]), call("open", id=twin)]
    got = played(package, task, *map(sent, calls), sent(call("answer", found=True, answer=world.value, quotes=[text])))
    assert (got["correct"], got["supported"], got["genuine"]) == (1.0, 0.0, 1.0)


def test_an_honest_not_found_needs_a_search_the_article_and_no_answer_beside_it(package, tasks, world_of):
    task = of_family(tasks, "nothing")
    search, own = call("search", words="x"), call("open", id=world_of(task).about[0])
    not_found = call("answer", found=False)
    assert played(package, task, sent(search), sent(own), sent(not_found))["supported"] == 1.0
    for calls in ([not_found], [search, not_found], [own, not_found]):
        assert played(package, task, *map(sent, calls))["correct"] == 0.0
    both = call("answer", found=False, answer=world_of(task).value)
    assert played(package, task, sent(search), sent(own), sent(both))["correct"] == 0.0


def test_a_not_found_is_wrong_where_something_tells(asked, tasks):
    assert asked(of_family(tasks, "elsewhere"), found=False, answer="", quotes=[])["correct"] == 0.0


def test_nothing_after_the_answer_counts(package, tasks, world_of, asked):
    task = of_family(tasks, "direct")
    world = world_of(task)
    right = call("answer", found=True, answer=world.value, quotes=[world.evidence[0][1]])
    opened = call("open", id=world.about[0])
    assert played(package, task, sent(opened, call("answer", found=False), right))["correct"] == 0.0
    assert played(package, task, sent(right, opened))["correct"] == 0.0


def test_where_nothing_is_told_nothing_tells(agents, part):
    """On two hundred drawn encyclopedias: no sentence about the subject tells what is asked, in any article but a namesake's."""
    make, cycle = part("world").make_world, part("world").CYCLE
    place = cycle.index("nothing")
    for number in range(200):
        world = make("test", 3, place + number * len(cycle))
        asked, [subject], _ = agents.question(world.prompt)
        name = subject.partition(" of ")[0]
        title = world.articles[world.about[0]].title
        told = [
            sentence
            for article in world.articles.values()
            if article.title == title or article.title.startswith("Yearbook")
            for sentence in article.sentences
            if agents.matched(asked.sentence, sentence, n=name)
        ]
        assert told == [], world.prompt


def test_where_something_is_told_one_value_is(agents, part):
    """No other sentence of the subject's article, or of a chronicle, tells another value."""
    for index in range(400):
        world = part("world").make_world("test", 4, index)
        asked, subjects, first = agents.question(world.prompt)
        if first or len(subjects) > 1 or not world.evidence:
            continue
        name = subjects[0].partition(" of ")[0]
        titles = {world.articles[ident].title for ident in world.about}
        values = {
            found["v"]
            for article in world.articles.values()
            if article.title in titles or article.title.startswith("Yearbook")
            for sentence in article.sentences
            if (found := agents.matched(asked.sentence, sentence, n=name))
        }
        assert values == {world.value}, world.prompt


# -- what an answer states --------------------------------------------------------------------------------------------

STATED = [
    ("year", "{v}|in {v}|In the year {v}.|It is {v}.|**{v}**|{s}"),
    ("number", "{v}|{d}|{d} metres|It has {v} inhabitants.|{n}|{s}"),
    ("person", "{v}|{u}|{l}|It is {v}.|{s}"),
    ("town", "{v}|{u}|It is {v}.|in {v}|{s}"),
    ("river", "{v}|the river {v}|{s}"),
    ("name", "{v}|{u}|It is {v}.|{v} is"),
]
UNSTATED = (
    "not {v}|{v} or so|perhaps {v}|{v}?|neither {v}|{v} is wrong|anything but {v}|{v}, alternatively none|maybe {v}|{v}/x"
    "|I doubt that it is {v}|hardly {v}|{v} minus one|about {v}|~{v}|{v} million|at most {v}|{v} and {w}|{w}, {v}|{v}%|{v} ❌|¬{v}||"
)


@pytest.mark.parametrize(("kind", "texts"), STATED, ids=[kind for kind, _ in STATED])
def test_a_value_is_read_however_people_write_it(part, tasks, world_of, kind, texts):
    world = next(world for world in map(world_of, tasks) if world.kind == kind and world.evidence)
    value = world.value
    shapes = {"v": value, "d": value.replace(",", ""), "n": value.replace(",", "\u202f"), "u": value.upper()}
    shapes |= {"l": value.split()[-1], "s": world.evidence[0][1] if len(world.evidence) == 1 else value}
    said = [text.format(**shapes) for text in texts.split("|")]
    read = part("reading").stated_value
    assert {text: read(world, text) for text in said} == dict.fromkeys(said, value)


@pytest.mark.parametrize("kind", [kind for kind, _ in STATED])
def test_denials_doubts_and_lists_state_nothing(part, tasks, world_of, kind):
    world = next(world for world in map(world_of, tasks) if world.kind == kind and world.evidence)
    other = part("cases").another(world)
    texts = [text.format(v=world.value, w=other) for text in UNSTATED.split("|")]
    texts += [f"-{world.value}"] if world.value[0].isdigit() else []
    read = part("reading").stated_value
    assert [text for text in texts if read(world, text) == world.value] == []


# -- what a model may send --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", malformed("open", "id"))
def test_a_malformed_call_gets_an_answer_and_a_verdict(package, tasks, name):
    made = malformed("open", "id")[name]
    session = package.Session()
    session.reset(tasks[0], 0)
    turn = session.step(sent(made))
    assert turn["messages"][0]["content"].encode()
    assert not turn["done"]
    assert package.verify(tasks[0], session.state())["correct"] == 0.0


def test_an_episode_ends_by_its_answer_by_silence_or_by_sixteen_calls(package, tasks):
    silent, busy = package.Session(), package.Session()
    silent.reset(tasks[0], 0)
    assert [silent.step({"role": "assistant", "content": "hm"})["done"] for _ in range(4)] == [False, False, True, True]
    busy.reset(tasks[0], 0)
    assert busy.step(sent(*[call("open", id="a01")] * 50))["done"]
    assert len(busy.state()["calls"]) == 16


@pytest.mark.parametrize(
    "state",
    [
        None,
        [],
        {},
        {"calls": None},
        {"calls": [None, 1, "answer"]},
        {"calls": [{"name": "answer", "arguments": {"found": True, "answer": ["x"]}}]},
        {"calls": [{"name": "answer", "arguments": {"found": True, "quotes": "x"}}], "correct": 1.0},
        {"calls": [{"name": ["open"], "arguments": {}}]},
        {"calls": [{"name": "open", "arguments": {"id": "a01"}}] * 40},
    ],
    ids=range(9),
)
def test_a_state_that_no_session_leaves_earns_nothing(package, tasks, state):
    assert package.verify(tasks[0], state)["correct"] == 0.0


# -- splits, and the box ----------------------------------------------------------------------------------------------


def test_splits_share_no_name_and_no_wording(part):
    wordings = part("wordings")
    for one, two in (("train", "validation"), ("train", "test"), ("validation", "test")):
        assert not wordings.all_names(one) & wordings.all_names(two)
        for key in ("question", "sentence", "decoy", "near", "echo"):
            ours, theirs = ({getattr(each, key) for each in wordings.attributes_of(split)} for split in (one, two))
            assert not ours & theirs, key
        ours, theirs = (set(wordings.other_words(split).values()) for split in (one, two))
        assert not ours & theirs


def test_a_session_and_its_verdict_in_the_sandbox(agents, local_sandbox, packed, tasks):
    source, task = packed.source(PROJECT), tasks[0]
    with local_sandbox.session(source, task) as session:
        assert [tool["function"]["name"] for tool in session.reset()["tools"]] == ["search", "open", "answer"]
        agents.expert(task["prompt"], agents.calls_of(session))
        state = session.state()
    [(_, verdict)] = local_sandbox.score(source, [Call("1", task, state=state)])
    assert verdict.rewards["correct"] == verdict.rewards["supported"] == 1.0
