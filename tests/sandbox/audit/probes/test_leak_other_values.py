"""References of other kinds, each with a value that is far from it and from the task's own answer."""

import random

from sandbox.audit.probes.answers import read
from sandbox.audit.probes.leak_other_values import FAMILY
from sandbox.audit.probes.material import Example, Material, lacks_answer
from schemas.manifest import RewardDeclaration

DECLARED = {"correct": RewardDeclaration()}


def drafts(*right: Example, declared=DECLARED):
    return list(FAMILY.make(Material(declared, tuple(one.task for one in right), right), random.Random(3)))


NUMBERS = tuple(Example({"id": f"t{n}", "prompt": "?", "answer": n}, f"So it is {n}.") for n in (11, 12, 13))


def test_reference_and_response_are_different_values_of_one_kind() -> None:
    found = drafts(*NUMBERS)
    assert 2 * len({draft.way for draft in found}) == FAMILY.most
    for draft in found:
        reference = read(draft.task["answer"])
        said = read((draft.response or "").removeprefix("So it is ").removesuffix("."))
        assert lacks_answer(draft.task, draft.response or "")
        if reference is not None and reference.value is not None and said is not None and said.value is not None:
            assert reference.value != said.value
            small, large = sorted((abs(reference.value), abs(said.value)))
            assert large >= small * 3 / 2 or reference.value == -said.value or small < 1


def test_responses_of_one_task_differ() -> None:
    said = [(draft.task["id"], draft.response) for draft in drafts(*NUMBERS)]
    assert len(said) == len(set(said)), "equal ones would be one probe"


def test_nothing_is_made_where_more_than_the_answer_may_decide() -> None:
    told = (Example({**one.task, "info": {"answer": 5}}, one.response) for one in NUMBERS)
    assert drafts(*told) == []
    assert drafts(*NUMBERS, declared={"correct": RewardDeclaration(), "form": RewardDeclaration()}) == []
