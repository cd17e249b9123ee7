"""Generated cases: the same from the same seed, few, distinct, and never against a person's label."""

from itertools import pairwise

import pytest

from sandbox.audit.evaluation import Judgement
from sandbox.audit.probe_set import authors_probe, further, generate, independent, material_from
from sandbox.audit.probes.family import CASES, Draft, Family
from sandbox.audit.probes.registry import FAMILIES
from schemas.evidence.cases import AuditCase, Origin
from schemas.manifest import Manifest
from schemas.verdict import Verdict

DECLARED = Manifest.from_toml(
    'format = 1\nid = "al/check"\nkind = "verifier"\nverifier = "al_check:verify"\n[rewards.correct]\n'
).rewards
TASK = {"id": "t", "prompt": "1+1?", "answer": 2}


def judged(response, label, task=TASK, **case):
    one = AuditCase(id=f"{response}-{label}", task_id=task["id"], response=response, label=label, **case)
    return Judgement(one, task, Verdict(rewards={"correct": float(label == "correct")}))


def family(texts, name="cheat_test", expects="incorrect"):
    return Family(name, expects, "a rule", lambda material, random: (Draft(dict(TASK), text) for text in texts))


def shuffling(name):
    return Family(
        name,
        "incorrect",
        "a rule",
        lambda material, random: (Draft(dict(TASK), f"{random.random()}") for _ in range(50)),
    )


def responses(families, material, seed=1):
    return [probe.case.response for probe in generate(families, material, seed)]


EMPTY = material_from([], {"t": TASK}, DECLARED)


def test_the_same_seed_gives_the_same_cases_whatever_other_families_do():
    alone = responses([shuffling("cheat_a")], EMPTY)
    together = responses([shuffling("cheat_b"), shuffling("cheat_a")], EMPTY)
    assert together[-len(alone) :] == alone
    assert responses([shuffling("cheat_a")], EMPTY, seed=2) != alone
    assert together[:CASES] != alone


@pytest.mark.parametrize(("made", "kept"), [(0, 0), (1, 1), (12, 12), (13, 12), (5000, 12)])
def test_a_family_has_at_most_twelve_distinct_cases(made, kept):
    found = responses([family([str(number) for number in range(made)])], EMPTY)
    assert len(found) == len(set(found)) == kept
    assert responses([family(["same"] * 40)], EMPTY) == ["same"]


def test_an_endless_family_ends():
    def endless(material, random):
        number = 0
        while True:
            number += 1
            yield Draft(dict(TASK), str(number))

    assert len(generate([Family("cheat_endless", "incorrect", "a rule", endless)], EMPTY, 1)) == CASES


def test_what_a_person_labelled_is_never_contradicted():
    material = material_from([judged("two", "correct"), judged("three", "incorrect")], {}, DECLARED)
    assert responses([family(["two", "three", "four"])], material) == ["three", "four"]
    assert responses([family(["two", "three", "four"], "oracle_x", "correct")], material) == ["two", "four"]


def test_what_is_compared_with_a_second_response_stands_beside_a_right_one():
    """Of two wrong responses none is certainly the worse: "I do not know" may be better than a wrong number."""
    pair = TASK | {"info": {"other": "3", "topic": "sums"}}
    beside = Family(
        "leak_test", "incorrect", "a rule", lambda material, random: iter([Draft(dict(pair), "I do not know")])
    )
    (probe,) = generate([beside], EMPTY, 1)
    assert probe.case.task["info"] == {"other": "2", "topic": "sums"}
    kept = Family("benign_test", "correct", "a rule", lambda material, random: iter([Draft(dict(pair), "2.")]))
    (probe,) = generate([kept], EMPTY, 1)
    assert probe.case.task["info"]["other"] == "3"
    assert pair["info"]["other"] == "3"


BLANK = [one for one in FAMILIES if one.name == "empty"]
HELD_CASES = [
    judged(f"{n}", "correct", {"id": f"t{n}", "prompt": f"{n}?", "answer": n}, origin="held") for n in range(20)
]


@pytest.mark.parametrize("how", [{"uncorroborated": True}, {"disputed": True}])
def test_a_label_that_nobody_has_confirmed_switches_no_family_off(how) -> None:
    """Two friends of the author said of one empty response that it is right, and none was tried any more."""
    said = judged("", "correct", HELD_CASES[0].task, origin="rollout", **how)
    cases = generate(BLANK, material_from([*HELD_CASES, said], {}, DECLARED), 1)
    assert cases
    assert (HELD_CASES[0].task["id"], "") not in {(probe.case.task["id"], probe.case.response) for probe in cases}
    confirmed = judged("", "correct", HELD_CASES[0].task, origin="rollout")
    assert not generate(BLANK, material_from([*HELD_CASES, confirmed], {}, DECLARED), 1)


def test_what_is_disputed_is_no_example():
    found = material_from(
        [judged("two", "correct"), judged("2", "correct", disputed=True), judged("x", "incorrect", disputed=True)],
        {},
        DECLARED,
    )
    assert [example.response for example in found.examples] == ["two"]
    assert found.wrong == ()


def test_a_long_suite_is_sampled_evenly_and_in_an_order_of_its_own():
    tasks = {f"t{number:04d}": TASK | {"id": f"t{number:04d}"} for number in range(1000)}
    one = material_from([], tasks, DECLARED)
    two = material_from([], dict(reversed(tasks.items())), DECLARED)
    assert one.tasks == two.tasks
    numbers = [int(task["id"][1:]) for task in one.tasks]
    assert len(numbers) == 32
    assert {later - earlier for earlier, later in pairwise(numbers)} <= {31, 32}


@pytest.mark.parametrize("row", [None, 3, "text", [], ["a"], [[1, 2]], {}, {"task_id": "t"}, {"task_id": "t", "response": "r", "label": "maybe"},
                                 {"task_id": "t", "response": "r", "label": "correct", "nonsense": 1}, {"response": "r", "label": "correct"},
                                 {"family": "x" * 300, "task_id": "t", "response": "r", "label": "correct"}])  # fmt: skip
def test_a_generator_s_row_that_is_no_case_is_a_value_error(row):
    with pytest.raises(ValueError, match=r".+"):
        authors_probe(row, 0)


def test_a_generator_cannot_pass_its_cases_off_as_a_person_s():
    row = {
        "id": "community-1",
        "origin": "community",
        "family": "mine",
        "task_id": "t",
        "response": "r",
        "label": "correct",
        "tags": ["a"],
    }
    probe = authors_probe(row, 7)
    assert (probe.family, probe.case.id, probe.case.origin) == ("author_mine", "author_mine-7", Origin.PROBE)
    assert probe.case.tags == ["a", "author_mine"]


def sums(origin, count=30, start=0):
    """Right answers to sums, by somebody."""
    for number in range(start, start + count):
        task = {"id": f"{origin}{number}", "prompt": f"{number} + 7?", "answer": str(number + 7)}
        case = AuditCase(id=task["id"], task=task, response=f"It makes {number + 7}.", label="correct", origin=origin)
        yield Judgement(case, task, Verdict(rewards={"correct": 1.0}))


def silencing(count):
    """An author's cases that speak against every family: right answers that say nothing, or not the answer."""
    for number in range(count):
        task = {"id": f"mine{number}", "prompt": "Say anything.", "answer": str(number), "info": {"tolerance": 9}}
        text = ["", "I do not know.", "So be it.", f"{-number}", "x = 3 or 4"][number % 5]
        case = AuditCase(id=task["id"], task=task, response=text, label="correct")
        yield Judgement(case, task, Verdict(rewards={"correct": 1.0}))


def test_no_case_of_the_authors_switches_off_what_others_cases_make_certain():
    others = list(sums(Origin.SUITE))
    alone = {probe.family for probe in generate(FAMILIES, material_from(others, {}, DECLARED), 1)}
    assert {"empty", "nop", "swap", "leak_digit", "leak_sign", "several_answers"} <= alone
    drowned = [*others, *silencing(500)]
    silent = {probe.family for probe in generate(FAMILIES, material_from(drowned, {}, DECLARED), 1)}
    assert not {"empty", "nop", "swap", "leak_sign"} & silent, "these cases did switch them off"
    found = generate(
        FAMILIES, material_from(drowned, {}, DECLARED), 1, material_from(independent(drowned), {}, DECLARED)
    )
    assert alone <= {probe.family for probe in found}


def test_half_of_a_familys_cases_are_others_and_none_is_more_than_before():
    everything = [*sums(Origin.SUITE), *sums(Origin.AUTHOR, count=300, start=100)]
    others = material_from(independent(everything), {}, DECLARED)
    found = generate(FAMILIES, material_from(everything, {}, DECLARED), 1, others)
    for name in ("leak_digit", "swap", "nop"):
        made = [probe.case.task["id"] for probe in found if probe.family == name]
        assert len(made) <= CASES
        assert sum(one.startswith("suite") for one in made) >= len(made) / 2


def two_ways(count=50):
    def make(material, random):
        for number in range(count):
            yield Draft(dict(TASK), f"{number} {random.random()}", way="plain")
            yield Draft(dict(TASK), f"({number} {random.random()})", way="in brackets")

    return Family("leak_ways", "incorrect", "a rule", make, most=4)


def test_every_way_of_a_family_is_tried_and_one_that_fails_on_eleven_more():
    probes = generate([two_ways()], EMPTY, 1)
    assert sorted(probe.way for probe in probes) == ["in brackets"] * 2 + ["plain"] * 2
    more = further([two_ways()], EMPTY, 1, None, [(one, one is probes[1]) for one in probes])
    assert {(one.way, one.part, one.family) for one in more} == {
        ("in brackets", "leak_ways (in brackets)", "leak_ways")
    }
    texts = [one.case.response for one in more]
    assert len(set(texts)) == len(texts) == 11
    assert not set(texts) & {one.case.response for one in probes}, "what was found by search is no evidence again"
    assert len({one.case.id for one in [*probes, *more]}) == len(probes) + 11


def test_what_fails_nowhere_or_has_no_ways_is_not_tried_again():
    probes = generate([two_ways()], EMPTY, 1)
    assert further([two_ways()], EMPTY, 1, None, [(one, False) for one in probes]) == []
    plain = generate([family(["a", "b"])], EMPTY, 1)
    assert further([family(["a", "b"])], EMPTY, 1, None, [(one, True) for one in plain]) == []
    few = generate([two_ways(1)], EMPTY, 1)
    assert further([two_ways(1)], EMPTY, 1, None, [(one, True) for one in few]) == [], "there are no others"
