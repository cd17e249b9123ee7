"""A benchmark that is made public tells of no other private package, and of no private run."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hub_server.catalog.models import PackageRow
from hub_server.database import job_queue
from hub_server.database.visibility import EVERYTHING, Viewer, see_as
from hub_server.errors import InvalidPackageError, UnavailableError
from hub_server.evaluations import actions
from hub_server.kernel.job import RunningJob
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import actions as runs
from schemas.run import RunCreate
from tests.hub_server.evaluations.ladders import ALICE, BENCH, PROMPTS, environment, lines, results
from tests.making.action_driver import ActionDriver, caller
from tests.making.wheel import MANIFEST

SECRET = "alice/secret"


@contextmanager
def as_alice(driver: ActionDriver) -> Iterator[UnitOfWork]:
    with driver.writing(ALICE) as work:
        see_as(work.session, Viewer(frozenset({"alice"})))
        yield work


@pytest.fixture
def hidden(bench: ActionDriver) -> ActionDriver:
    """The benchmark is private, and so is an environment with the same tasks; a private run has sent results."""
    files = {"tasks.jsonl": lines(PROMPTS), "audit.jsonl": ""}
    bench.publish(ALICE, SECRET, manifest=environment(SECRET, 'train = "tasks.jsonl"'), package_files=files)
    bench.run_jobs()
    with as_alice(bench) as work:
        for name in (BENCH, SECRET):
            work.session.get_one(PackageRow, name).is_private = True
        run = runs.create_run(work, RunCreate(name="r", is_private=True))
    with as_alice(bench) as work:
        actions.submit_results(work, BENCH, "1.0.0", results("hushed-7b", run_id=run.id))
        actions.submit_results(work, BENCH, "1.0.0", results("open-7b", 4))
    return bench


def test_its_reports_and_the_results_of_private_runs_are_forgotten(hidden: ActionDriver) -> None:
    hidden.run_jobs()
    with as_alice(hidden) as work:
        before = actions.get_report(work, BENCH).model_dump_json()
        assert (SECRET in before, "hushed-7b" in before) == (True, True), "its owner is told of both"
        actions.make_public(work, BENCH)
    assert hidden.ask(None, actions.find_report, BENCH) is None
    assert [one.model for one in hidden.ask(None, actions.list_results, BENCH).items] == ["open-7b"]
    hidden.run_jobs()
    after = hidden.ask(None, actions.get_report, BENCH).model_dump_json()
    assert ("open-7b" in after, SECRET in after, "hushed-7b" in after) == (True, False, False)
    with as_alice(hidden) as work:
        actions.make_public(work, BENCH)
    assert hidden.ask(None, actions.find_report, BENCH) is not None, "again: nothing happens"


def test_a_job_that_began_before_writes_nothing_of_what_it_saw(hidden: ActionDriver) -> None:
    now = hidden.clock.now()
    with hidden.writing() as work:
        lease = job_queue.claim_job(work.session, [JobName.MEASURE_BENCHMARK], "me", now, 60)
    assert lease is not None
    job = RunningJob(lease, hidden.services)
    with job.reading() as work:
        report = actions.compute_report(work, str(job.payload["release_id"]))
    assert report is not None
    assert SECRET in report.model_dump_json()
    with as_alice(hidden) as work:
        actions.make_public(work, BENCH)
    with pytest.raises(UnavailableError, match="made public"), job.finishing():
        pytest.fail("the transaction began")
    assert job.is_finished is False


NEEDS_SECRET = MANIFEST.replace("alice_small_sums:verify", "alice/secret@1.0.0")


@pytest.fixture
def acme(driver: ActionDriver) -> ActionDriver:
    """alice has a private package, and so has her organisation, which bob belongs to as well."""
    alice = driver.person("alice", organizations=frozenset({"acme"}), maintained=frozenset({"acme"}))
    driver.person("bob")
    driver.organization("acme", alice="owner", bob="member")
    driver.publish(alice, SECRET)
    driver.publish(alice, "acme/hush", manifest=NEEDS_SECRET)
    with driver.writing() as work:
        for name in (SECRET, "acme/hush"):
            work.session.get_one(PackageRow, name).is_private = True
    return driver


@pytest.mark.parametrize("name", ["alice", "bob"])
def test_whoever_does_not_see_what_a_package_needs_cannot_make_it_public_either(acme: ActionDriver, name: str) -> None:
    """Its releases would tell everybody the name of somebody else's private package."""
    by = caller(name, organizations=frozenset({"acme"}), maintained=frozenset({"acme"}))
    with acme.writing(by) as work:
        see_as(work.session, Viewer(by.owners))
        with pytest.raises(InvalidPackageError, match=r"alice/secret@1\.0\.0, which is private"):
            actions.make_public(work, "acme/hush")


def test_a_private_package_needs_no_other_owners_private_one(acme: ActionDriver) -> None:
    """Members of the one need not be members of the other, now or later."""
    alice = caller("alice", organizations=frozenset({"acme"}), maintained=frozenset({"acme"}))
    with pytest.raises(InvalidPackageError, match="acme's own or public ones"):
        acme.publish(alice, "acme/hush", "1.1.0", manifest=NEEDS_SECRET)
    acme.publish(alice, "alice/open")
    with acme.writing() as work:
        see_as(work.session, EVERYTHING)
        work.session.get_one(PackageRow, "alice/open").is_private = True
    assert acme.publish(alice, "alice/open", "1.1.0", manifest=NEEDS_SECRET).version == "1.1.0"
