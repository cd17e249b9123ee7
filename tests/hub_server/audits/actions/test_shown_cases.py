"""Cases that pages may show: test_episode_examples.py and test_response_examples.py say what of them is chosen."""

from hub_server.audits.actions.shown_cases import shown_cases
from hub_server.catalog import actions as catalog
from tests.making.action_driver import ActionDriver
from tests.making.wheel import MANIFEST


def test_cases_come_in_the_authors_order_with_the_tasks_by_split(driver: ActionDriver) -> None:
    driver.publish(driver.person("alice"), manifest=MANIFEST)
    digest = driver.ask(None, catalog.resolve_release, "alice/small-sums", "1.0.0").digest
    cases, tasks = shown_cases(driver.services.wheels, digest)
    assert [(case.id, case.origin) for case in cases] == [("a1", "author"), ("a2", "author")]
    assert {split: sorted(found) for split, found in tasks.items()} == {"train": ["t1", "t2"]}
