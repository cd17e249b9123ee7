"""What processes agree on: every one of several hears the same, and one alone needs nobody."""

import math
import os

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.making.processes import run_in_processes
from trainer_bridge.errors import SettingsError
from trainer_bridge.ranks import Ranks, contiguous_shares, open_ranks
from trainer_bridge.settings import is_first_process, is_one_of_several


@given(st.lists(st.integers(0, 50), max_size=40), st.integers(1, 9))
def test_shares_cover_every_place_once_and_none_is_larger_than_its_part_and_one_more(costs, count):
    shares = contiguous_shares(costs, count)
    assert len(shares) == count
    assert [place for share in shares for place in share] == list(range(len(costs)))
    for share in shares:
        assert sum(costs[place] for place in share) <= sum(costs) / count + max(costs, default=0)


def test_equal_costs_are_cut_evenly():
    assert [len(share) for share in contiguous_shares([3.0] * 8, 4)] == [2, 2, 2, 2]


def test_one_process_agrees_with_itself_and_changes_nothing():
    ranks, values = Ranks(), torch.tensor([1.0, math.inf])
    assert ranks.all_gather("own") == ["own"]
    assert ranks.broadcast_object(7) == 7
    assert ranks.all_reduce(values) is ranks.broadcast(values) is values
    assert ranks.sum_by_name({"loss": 2.0}) == {"loss": 2.0}
    assert ranks.is_first
    assert not ranks.any(False)
    assert list(ranks.share([1.0, 2.0])) == [0, 1]
    with pytest.raises(ZeroDivisionError), ranks.fail_together(), ranks.watched():
        1 / 0  # noqa: B018


def talk(ranks):
    """All that processes say to each other, once."""
    own = float(ranks.number + 1)
    with ranks.fail_together():
        pass
    return {
        "gather": ranks.all_gather(f"of {ranks.number}"),
        "first": ranks.broadcast_object(ranks.number),
        "add": ranks.all_reduce(torch.full((3,), own)).tolist(),
        "agree": ranks.broadcast(torch.full((2,), own)).tolist(),
        "agree on truth": ranks.broadcast(torch.tensor([ranks.number == 0, False])).tolist(),
        "agree on columns": ranks.broadcast(torch.arange(6.0).view(2, 3).T * own).tolist(),
        "add_up": ranks.sum_by_name({"all": own, f"only {ranks.number}": own}),
        "any": (ranks.any(ranks.number == 1), ranks.any(False)),
    }


def test_what_is_said_is_the_same_in_every_process():
    found = run_in_processes(talk, 3)
    assert found[0] == found[1] == found[2]
    said = found[0]
    assert said["gather"] == ["of 0", "of 1", "of 2"]
    assert said["first"] == 0
    assert said["add"] == [6.0] * 3
    assert said["agree"] == [1.0] * 2
    assert said["agree on truth"] == [True, False]
    assert said["agree on columns"] == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    assert said["add_up"] == {"all": 6.0, "only 0": 1.0, "only 1": 2.0, "only 2": 3.0}
    assert said["any"] == (True, False)


def break_at(ranks, kind):
    if kind == "error":
        with ranks.fail_together():
            if ranks.number == 1:
                raise ValueError("of one")
    if kind == "silence" and ranks.number == 1:
        os._exit(3)
    if kind == "bug":
        with ranks.watched():
            raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")
    ranks.all_gather(None)


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("error", "OtherProcessError: process 1 of 2 failed: ValueError: of one", "ValueError: of one"),
        ("silence", "OtherProcessError: process 0 of 2 has lost another one", 3),
        ("bug", "RuntimeError: mat1", "RuntimeError: mat1"),
    ],
)
def test_what_ends_one_ends_all_and_says_whose_it_was(kind, first, second):
    found = run_in_processes(break_at, 2, kind)
    assert found[0].startswith(first)
    assert found[1] == second or found[1].startswith(second)


def wait_for_one_that_reads(ranks, pipe):
    """The second process lives, and answers nothing until the first has given up."""
    if ranks.number == 1:
        return pipe.read_text()
    try:
        return ranks.all_gather("alone")
    finally:
        pipe.write_text("given up")


def test_who_does_not_answer_is_not_waited_for_longer_than_the_limit(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    first, second = run_in_processes(wait_for_one_that_reads, 2, tmp_path / "pipe", seconds=3.0)
    assert first.startswith("OtherProcessError")
    assert "for 3 s (rank_timeout)" in first
    assert second == "given up"


def test_without_torchrun_there_is_one_process(monkeypatch):
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    assert not is_one_of_several()
    assert is_first_process()
    with open_ranks("cpu", seconds=1.0, several=is_one_of_several()) as ranks:
        assert (ranks.count, ranks.device) == (1, None)


@pytest.mark.parametrize(("number", "first"), [("0", True), ("1", False)])
def test_under_torchrun_the_first_of_several_speaks(monkeypatch, number, first):
    for name, value in {"TORCHELASTIC_RUN_ID": "x", "WORLD_SIZE": "2", "RANK": number}.items():
        monkeypatch.setenv(name, value)
    assert is_one_of_several()
    assert is_first_process() is first
    monkeypatch.setenv("WORLD_SIZE", "1")
    assert not is_one_of_several()


def test_a_device_that_all_would_share_is_refused():
    with pytest.raises(SettingsError, match="a GPU of its own"), open_ranks("meta", seconds=1.0, several=True):
        pass
