"""What judges a package: its own verifier or one it names, never one that this hub would not run."""

from dataclasses import replace

import pytest

from hub_server.catalog.actions import get_release, usable_release
from hub_server.catalog.errors import QuarantinedError
from hub_server.execution.actions.targets import declared_rewards, executable_release, scoring_target
from hub_server.execution.errors import NothingToExecuteError
from hub_server.moderation.actions import quarantine_release
from tests.hub_server.execution.played import ALICE, BOB, MODA, SUMS, borrowing
from tests.making.action_driver import ActionDriver

BORROWS = "alice/borrows"


def test_a_package_is_judged_by_its_own_verifier(playable: ActionDriver) -> None:
    target = playable.ask(None, scoring_target, SUMS)
    assert (target.package, target.version, target.verifier.package) == (SUMS, "1.0.0", SUMS)
    assert target.digest == target.verifier.digest
    assert list(target.rewards) == ["correct"]
    assert target.file_splits == ("train",), "what code makes stands in no file"
    assert target.verifier.wheel.is_file()


def test_a_borrowed_verifier_judges_the_borrowers_tasks(playable: ActionDriver) -> None:
    target = playable.ask(None, scoring_target, BORROWS)
    assert (target.package, target.verifier.package) == (BORROWS, SUMS)
    assert target.digest == playable.ask(None, get_release, BORROWS).digest
    assert target.rewards == playable.ask(None, declared_rewards, BORROWS) == playable.ask(None, declared_rewards, SUMS)


def test_a_verifier_is_borrowed_at_first_hand(playable: ActionDriver) -> None:
    """A chain would let whoever stands in the middle exchange the judge."""
    playable.publish(ALICE, "alice/twice", manifest=borrowing("alice/twice", BORROWS))
    with pytest.raises(NothingToExecuteError, match="refer to that one directly"):
        playable.ask(None, scoring_target, "alice/twice")


def test_what_has_no_verifier_judges_nothing(playable: ActionDriver) -> None:
    with pytest.raises(NothingToExecuteError, match="no verifier"):
        playable.ask(None, scoring_target, "alice/look")
    assert playable.ask(None, declared_rewards, "alice/look") == {}


@pytest.mark.parametrize("package", [SUMS, BORROWS])
def test_a_quarantined_verifier_judges_nobodys_tasks(playable: ActionDriver, package: str) -> None:
    playable.do(MODA, quarantine_release, SUMS, "1.0.0", "steals")
    for by in (None, ALICE, BOB):
        with pytest.raises(QuarantinedError):
            playable.ask(by, scoring_target, package, "1.0.0")
    assert playable.ask(MODA, scoring_target, package, "1.0.0").verifier.package == SUMS
    assert list(playable.ask(None, declared_rewards, package, "1.0.0")) == ["correct"], "what it promises is no secret"


def test_a_pinned_verifier_stays_the_one_that_was_pinned(playable: ActionDriver) -> None:
    playable.publish(ALICE, version="1.1.0")
    assert playable.ask(None, scoring_target, BORROWS).verifier.version == "1.0.0"
    assert playable.ask(None, scoring_target, SUMS).verifier.version == "1.1.0"


def test_what_asks_for_more_than_the_operator_gives_now_is_refused_by_name(playable: ActionDriver) -> None:
    """A ceiling that is lowered later holds for what was published before."""
    execution = playable.services.settings.execution.model_copy(
        update={"most_memory_mb": 32, "most_timeout_seconds": 0.001}
    )
    settings = playable.services.settings.model_copy(update={"execution": execution})
    playable.services = replace(playable.services, settings=settings)
    with pytest.raises(NothingToExecuteError, match=f"{SUMS} 1.0.0 cannot run here"):
        playable.ask(None, scoring_target, SUMS)


def test_a_release_on_disk_is_the_bytes_that_were_published(playable: ActionDriver) -> None:
    with playable.reading() as work:
        release = executable_release(work, usable_release(work, SUMS))
    assert release.wheel.stat().st_size == playable.ask(None, get_release, SUMS).size_bytes
    assert release.manifest.id == SUMS
