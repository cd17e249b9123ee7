"""How many families reach a verifier: the count on the audit page must not fall without anybody noticing."""

import asyncio
from pathlib import Path

import pytest

from sandbox.interface import Call, Source
from schemas.manifest import Manifest
from schemas.verdict import ErrorKind
from scripts.field_study.recall import FEW, made_for_it
from scripts.probe_reach import COLLECTION, OwnJudge, audited, vars_of

MANIFEST = Manifest.from_toml(
    'format = 1\nid = "al/check"\nkind = "verifier"\nverifier = "al_check:verify"\n[rewards.correct]\n'
)
SOURCE = Source(digest="sha256:" + "0" * 64, wheel=Path("own.whl"), manifest=MANIFEST)


def judged(verify, *calls):
    async def gather():
        return [one async for one in OwnJudge(verify).judge(SOURCE, calls)]

    return asyncio.run(gather())


def test_a_verifier_gets_the_parts_that_it_asks_for_text_and_messages_each_made_of_the_other():
    spoken = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "4"}, {"role": "tool", "content": "5"}]
    assert vars_of(Call(id="1", task={"id": "t"}, messages=spoken))["response"] == "4"
    assert vars_of(Call(id="2", task={"id": "t"}, response="4"))["messages"] == [{"role": "assistant", "content": "4"}]
    silent = vars_of(Call(id="3", task={"id": "t", "info": {"n": 1}}, state={"a": 1}))
    assert (silent["response"], silent["state"], silent["info"]) == (None, {"a": 1}, {"n": 1})


def test_a_verifier_that_raises_has_not_judged_and_ends_no_audit():
    def verify(response):
        return {"correct": 1.0 / (len(response) - 1)}

    first, second = judged(verify, Call(id="1", task={}, response="a"), Call(id="2", task={}, response="abc"))
    assert first.verdict.error.kind is ErrorKind.VERIFIER_FAILED
    assert second.verdict.rewards == {"correct": 0.5}


@pytest.mark.parametrize("name", ["connections", "wordle"])
def test_a_verifier_of_states_is_asked_more_than_junk(name):
    report = audited(COLLECTION / name)
    assert report is not None
    assert len(made_for_it(report)) > FEW, made_for_it(report)


def test_what_has_no_verifier_or_asks_a_model_is_left_out():
    assert audited(COLLECTION / "suite-json") is None
    assert audited(COLLECTION / "judge") is None
