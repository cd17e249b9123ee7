"""Right answers to others' tasks that are asked otherwise."""

import random
from dataclasses import replace

from sandbox.audit.probes.benign_asked import FAMILY
from sandbox.audit.probes.material import Example, Material
from schemas.manifest import RewardDeclaration

DECLARED = {"correct": RewardDeclaration()}
RIGHT = tuple(
    Example({"id": f"sum-{n}000000", "prompt": "Add.", "answer": n}, f"It is {n}.", is_others=True)
    for n in (61, 62, 63)
)


def drafts(*right: Example):
    return list(FAMILY.make(Material(DECLARED, tuple(one.task for one in right), right), random.Random(3)))


def test_the_answer_and_the_response_stay() -> None:
    found = drafts(*RIGHT)
    assert 2 * len({draft.way for draft in found}) == FAMILY.most
    for draft in found:
        assert draft.task["answer"] in (61, 62, 63)
        said = draft.response if draft.messages is None else draft.messages[-1]["content"]
        assert said == f"It is {draft.task['answer']}."
    asked = {draft.way: draft.task for draft in found}
    assert asked["a chat"]["prompt"] == [{"role": "user", "content": "Add."}]
    assert asked["an id: a UUID"]["id"].count("-") == 4
    assert asked["a long prompt"]["prompt"].endswith("\n\nAdd.")


def test_no_two_drafts_of_a_task_are_equal() -> None:
    found = [(draft.task["id"], draft.response, str(draft.messages)) for draft in drafts(*RIGHT)]
    assert len(found) == len(set(found))


def test_only_what_a_verifier_accepted_of_tasks_that_are_not_its_own() -> None:
    assert drafts(*(replace(one, is_others=False) for one in RIGHT)) == []
    assert drafts(*(replace(one, is_accepted=False) for one in RIGHT)) == []
