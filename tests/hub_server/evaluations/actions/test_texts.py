"""What a benchmark's tasks are compared with: all that has a fixed text, said aloud where something has not."""

import pytest

from hub_server.catalog.actions import get_release
from hub_server.evaluations.actions import texts
from hub_server.evaluations.actions.texts import compare_texts
from hub_server.moderation.actions import quarantine_release, take_down_package, take_down_release
from tests.hub_server.evaluations.ladders import ALICE, BENCH, PROMPTS, SUMS, benchmark, environment, lines
from tests.making.action_driver import ActionDriver, person

MODA = person("moda", is_moderator=True)


def compared(driver: ActionDriver, package: str = BENCH):
    manifest = driver.ask(None, get_release, package).manifest
    return driver.ask(None, compare_texts, manifest)


def publish(driver: ActionDriver, name: str, tasks: str, splits: str = 'train = "tasks.jsonl"') -> None:
    files = {"tasks.jsonl": tasks, "audit.jsonl": ""}
    driver.publish(ALICE, name, manifest=environment(name, splits), package_files=files)


def test_tasks_that_stand_nowhere_else_have_no_row(bench: ActionDriver) -> None:
    publish(bench, "alice/other", lines({"o1": "write a poem about a river that forgets its own name every spring"}))
    found = compared(bench)
    assert (found.texts, found.contamination, found.not_compared) == (6, [], [])


def test_a_task_that_another_package_trains_on_is_found_with_where(bench: ActionDriver) -> None:
    publish(
        bench,
        "alice/leaky",
        lines({"o1": PROMPTS["t3"], "o2": "something of its own that is long enough to count here"}),
    )
    (row,) = compared(bench).contamination
    assert (row.environment, row.split, row.against, row.against_split) == (SUMS, "test", "alice/leaky@1.0.0", "train")
    assert (row.test_count, row.overlapping) == (6, 1)
    assert row.worst[0].task == "t3"


def test_the_environments_own_train_split_is_looked_at_too(bench: ActionDriver) -> None:
    splits = 'train = "more.jsonl", test = "tasks.jsonl"'
    files = {"tasks.jsonl": lines(PROMPTS), "more.jsonl": lines({"r1": PROMPTS["t1"]}), "audit.jsonl": ""}
    bench.publish(ALICE, version="1.1.0", manifest=environment(splits=splits), package_files=files)
    (row,) = compared(bench).contamination
    assert (row.against, row.against_split, row.overlapping) == (f"{SUMS}@1.1.0", "train", 1)


def test_what_code_makes_is_said_to_have_no_text(bench: ActionDriver) -> None:
    publish(bench, "alice/made", lines(PROMPTS), 'train = "tasks.jsonl", test = "alice_made:generate"')
    bench.publish(ALICE, "alice/mixed", manifest=benchmark("alice/mixed", ("alice/made@1.0.0",)))
    found = compared(bench, "alice/mixed")
    assert found.texts == 0
    assert found.text is None
    assert any("alice/made test: made by a generator" in words for words in found.not_compared)


@pytest.mark.parametrize("stop", [quarantine_release, take_down_release, take_down_package])
def test_an_environment_that_is_gone_is_said_and_the_rest_is_compared(bench: ActionDriver, stop) -> None:
    """A benchmark that pins what was taken down had no report any more."""
    what = (SUMS,) if stop is take_down_package else (SUMS, "1.0.0")
    bench.do(MODA, stop, *what, "steals")
    found = compared(bench)
    (words,) = found.not_compared
    assert found.texts == 0
    assert words.startswith(f"{SUMS}@")
    assert words.endswith(": not on this hub")


def test_the_comparison_is_bounded_and_says_where_it_ended(
    bench: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("alice/one", "alice/two"):
        publish(bench, name, lines({f"o{n}": f"{name} number {n} of a long list of unlike things" for n in range(3)}))
    monkeypatch.setattr(texts, "MOST_TASKS", 4)
    (left_out,) = compared(bench).not_compared
    assert left_out == "alice/one train: beyond the 4 tasks that are compared", "the newest come first"


def test_only_so_many_packages_are_read(bench: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("alice/one", "alice/two"):
        publish(bench, name, lines({"o1": PROMPTS["t1"]}))
    monkeypatch.setattr(texts, "MOST_PACKAGES", 1)
    assert [row.against for row in compared(bench).contamination] == ["alice/two@1.0.0"]


def test_a_quarantined_package_is_compared_with_nobody(bench: ActionDriver) -> None:
    publish(bench, "alice/leaky", lines({"o1": PROMPTS["t3"]}))
    bench.do(MODA, quarantine_release, "alice/leaky", "1.0.0", "steals")
    assert compared(bench).contamination == []
