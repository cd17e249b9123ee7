"""Tasks for a page: a page is more than its list, so whatever a list runs into is shown and not raised."""

import pytest

from hub_server.kernel.caller import Credentials
from hub_server.moderation.actions import quarantine_release
from hub_server.site.sections.addresses import ReleaseAddress
from hub_server.site.sections.package_head import PackageHead, head_of
from hub_server.site.sections.task_lists import find_task, list_tasks
from hub_server.web.dependencies import Transactions
from tests.hub_server.execution.played import MODA, SUMS, publish_all
from tests.making.action_driver import ActionDriver


class Connection:
    """A request of nobody, as far as transactions look at it."""

    class app:  # noqa: N801 -- starlette's name
        class state:  # noqa: N801
            authenticate = staticmethod(lambda work, credentials: None)


@pytest.fixture
def playable(driver: ActionDriver) -> ActionDriver:
    return publish_all(driver)


@pytest.fixture
def transactions(playable: ActionDriver) -> Transactions:
    return Transactions(Connection(), playable.services, Credentials())


@pytest.fixture
def head(playable: ActionDriver) -> PackageHead:
    return playable.ask(None, head_of, ReleaseAddress("alice", "small-sums", "1.0.0"), "Tasks")


@pytest.mark.parametrize(
    ("split", "start", "limit", "ids"),
    [
        ("train", 0, 20, ["t1", "t2"]),
        ("train", 1, 20, ["t2"]),
        ("train", 9, 20, []),
        ("endless", 5, 2, ["endless-0-5", "endless-0-6"]),
    ],
)
def test_tasks_of_a_file_or_of_code_without_their_answers(transactions, head, split, start, limit, ids) -> None:
    tasks, problem = list_tasks(transactions, head, split, start, limit)
    assert [task.id for task in tasks] == ids
    assert [task.answer for task in tasks] == [None] * len(ids)
    assert problem is None


@pytest.mark.parametrize(
    ("split", "start", "limit", "code"),
    [("none", 0, 20, "task_not_found"), ("train", -1, 20, "invalid_request"), ("train", 0, 0, "invalid_request")],
)
def test_what_cannot_be_listed_is_a_problem_on_the_page(transactions, head, split, start, limit, code) -> None:
    tasks, problem = list_tasks(transactions, head, split, start, limit)
    assert tasks == []
    assert problem is not None
    assert problem.code == code


def test_without_a_sandbox_a_file_is_listed_and_a_generated_split_says_why_not(
    playable: ActionDriver, transactions, head
) -> None:
    playable.executor.reason = "no Docker engine answers"
    assert len(list_tasks(transactions, head, "train", 0, 20)[0]) == 2
    tasks, problem = list_tasks(transactions, head, "endless", 0, 20)
    assert tasks == []
    assert problem is not None
    assert "no Docker engine answers" in problem.detail


def test_a_release_that_was_quarantined_meanwhile_lists_nothing(playable: ActionDriver, transactions, head) -> None:
    playable.do(MODA, quarantine_release, SUMS, "1.0.0", "steals")
    tasks, problem = list_tasks(transactions, head, "train", 0, 20)
    assert (tasks, problem is not None) == ([], True)
    assert find_task(transactions, head, "t1", "train") is None


def test_a_task_further_down_is_found_by_its_id_without_its_answer(playable: ActionDriver, transactions, head) -> None:
    found = find_task(transactions, head, "t2", "train")
    assert found is not None
    assert (found.id, found.answer) == ("t2", None)
    for task_id, split in (("t9", "train"), ("t2", "none"), ("endless-0-5", "endless"), ("", "train")):
        assert find_task(transactions, head, task_id, split) is None
