"""Test time and diagnostics: DeepConf, GenSelect, votes, pass@k, the entropy law, STARC."""

import numpy as np
import pytest

from trainer_bridge.experimental.distances import starc_distance
from trainer_bridge.experimental.selectors import (
    best_of_n,
    keep_confident,
    majority_vote,
    parse_selection,
    parse_synthesis,
    select_or_guess,
    selection_prompt,
    stop_threshold,
    token_confidence,
    trace_score,
    weighted_vote,
    window_means,
    windows,
)

TOP3 = np.array(
    [[-0.1, -2.5, -4], [-0.5, -1, -3], [-0.05, -4, -6], [-1, -1.2, -1.5], [-0.2, -2, -5], [-0.3, -1.9, -3.5]]
)


def test_deepconf_of_the_worked_example():
    confidence = token_confidence(TOP3)
    assert confidence == pytest.approx([2.2, 1.5, 3.35, 1.233333, 2.4, 1.9], abs=1e-6)
    assert window_means(confidence, 3) == pytest.approx([2.35, 2.027778, 2.327778, 1.844444], abs=1e-6)
    assert trace_score(confidence, "mean") == pytest.approx(2.097222, abs=1e-6)
    for kind in ("tail", "min", "bottom"):
        assert trace_score(confidence, kind, window=3) == pytest.approx(1.844444, abs=1e-6)
    assert window_means(confidence, 100) == pytest.approx([confidence.mean()])
    with pytest.raises(ValueError, match="none of"):
        trace_score(confidence, "best")


def test_confident_traces_outvote_the_majority():
    answers, confidence = ["7", "7", "9", "9", "9"], [9, 8, 5, 5.5, 6.0]
    assert majority_vote(answers) == "9"
    assert weighted_vote(answers, confidence) == "7"
    assert keep_confident(confidence, 40) == [0, 1]
    assert stop_threshold(list(range(1, 17)), 10) == pytest.approx(14.5)
    assert stop_threshold(list(range(1, 17)), 90) == pytest.approx(2.5)
    assert majority_vote([None, None]) is None


def test_best_of_n_skips_what_was_not_judged():
    assert best_of_n([None, 0.2, 0.9, 0.9]) == 2
    assert best_of_n([None]) is None


def test_genselect_reads_the_last_judgement_and_flags_a_guess():
    assert parse_selection("Judgment: 1 ... Judgment: 3", 7) == 3
    assert parse_selection("Judgement: 9", 7) is None
    assert select_or_guess("nothing", 4, seed=1)[1] is False
    assert select_or_guess("Judgment: 2", 4, seed=1) == (2, True)
    assert parse_synthesis("<NEW_SOLUTION>a</NEW_SOLUTION> x <NEW_SOLUTION>\nb </NEW_SOLUTION>") == "b"
    prompt = selection_prompt("q", ["one", "two"])
    assert "Solution 0:\none" in prompt
    assert "Solution 1:\ntwo" in prompt
    found = windows(20, size=8, lengths=[0, 99999] + [10] * 18)
    assert [len(window) for window in found] == [8, 8, 2]
    assert not {0, 1} & {index for window in found for index in window}


def test_starc_sees_through_shaping():
    transition = np.array([[[0.8, 0.2], [0.1, 0.9]], [[0.5, 0.5], [0.3, 0.7]]])
    reward = np.array([[[0.0, 1], [2, 0]], [[1, 0], [0, 3]]])
    potential = np.array([3.0, -1.0])
    shaped = 2 * reward + 0.9 * potential[None, None, :] - potential[:, None, None]
    assert starc_distance(reward, shaped, transition) == pytest.approx(0, abs=1e-9)
    assert starc_distance(reward, -reward, transition) == pytest.approx(2)
    assert starc_distance(reward, np.ones_like(reward), transition) == pytest.approx(1)
    broken = reward.copy()
    broken[1, 1] = 0
    assert starc_distance(reward, broken, transition) == pytest.approx(1.949825, abs=1e-6)
