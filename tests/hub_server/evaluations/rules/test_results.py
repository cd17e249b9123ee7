"""Results of a benchmark: what adds up, what stays apart, and what audits make of it."""

from itertools import permutations

import pytest

from hub_server.evaluations.rules.results import Submission, merge_entries, outcomes_of, results_digest


def sent(model: str = "m", harness: str = "h", environment: str = "al/x", **counts: tuple[int, int]) -> Submission:
    return Submission(model, harness, environment, "1.0.0", counts or {"t1": (1, 2)})


def test_the_digest_does_not_depend_on_the_order_and_does_on_every_figure() -> None:
    three = [sent(t1=(1, 2)), sent("n", t1=(0, 2)), sent(harness="g", t1=(2, 2))]
    assert len({results_digest(order) for order in permutations(three)}) == 1
    changes = [sent(t1=(2, 2)), sent(t1=(1, 3)), sent(t2=(1, 2)), sent("other"), sent(environment="al/y")]
    digests = {results_digest([one]) for one in (sent(t1=(1, 2)), *changes)}
    assert len(digests) == len(changes) + 1
    assert all(digest.startswith("sha256:") for digest in digests)


def test_attempts_on_one_task_by_several_people_add_up() -> None:
    (entry,) = merge_entries([sent(t1=(1, 2), t2=(0, 1)), sent(t1=(3, 4))])
    assert entry.counts == {"al/x#t1": (4, 6), "al/x#t2": (0, 1)}
    (cell,) = entry.cells
    assert (cell.attempts, cell.task_count) == (7, 2)
    assert cell.rate == pytest.approx((4 / 6 + 0) / 2)  # the mean over tasks, not over attempts


def test_models_harnesses_and_environments_stay_apart() -> None:
    entries = merge_entries([sent("m"), sent("n"), sent("m", "g"), sent("m", environment="al/y")])
    assert [(entry.model, entry.harness, len(entry.cells)) for entry in entries] == [
        ("m", "g", 1), ("m", "h", 2), ("n", "h", 1),
    ]  # fmt: skip
    assert entries[1].counts.keys() == {"al/x#t1", "al/y#t1"}
    assert entries[0].name == "m · g"


def test_failed_and_unjudged_attempts_are_counted_beside_and_never_as_failures() -> None:
    submissions = [
        Submission("m", "h", "al/x", "1.0.0", {"t": (2, 2)}, failed=3, unjudged=1),
        Submission("m", "h", "al/x", "1.1.0", {"t": (2, 2)}, failed=1),
    ]
    (entry,) = merge_entries(submissions)
    (cell,) = entry.cells
    assert (cell.rate, cell.attempts, cell.failed, cell.unjudged) == (1.0, 4, 4, 1)
    assert cell.versions == ["1.0.0", "1.1.0"]


def test_the_matrix_has_zero_attempts_where_nobody_tried() -> None:
    found = outcomes_of(merge_entries([sent("m", t1=(1, 2)), sent("n", t2=(0, 3))]))
    assert found.tasks == ("al/x#t1", "al/x#t2")
    assert found.models == ("m · h", "n · h")
    assert found.attempts.tolist() == [[2, 0], [0, 3]]
    assert found.successes.tolist() == [[1, 0], [0, 0]]


def test_no_results_are_an_empty_matrix() -> None:
    assert merge_entries([]) == []
    assert outcomes_of([]).tasks == ()
