"""A real browser: what keys press on /label and *Try it*, and the form that deletes an account."""

from collections.abc import Callable

import pytest
from sqlalchemy import text

from hub_server.audits.models import LabelQuestionRow
from tests.end_to_end.test_days import sign_up
from tests.making.browser_visits import MARKS, FilledHub, Visit

sync_api = pytest.importorskip("playwright.sync_api")
pytestmark = MARKS


def ask(hub: FilledHub, count: int) -> None:
    """Open questions on a package of the catalogue."""
    with hub.services.database.writing() as session:
        for number in range(count):
            case = {"id": f"q{number}", "task": {"id": "t1", "prompt": "1+1?"}, "response": f"two, {number}"}
            session.add(LabelQuestionRow(
                id=f"question{number}", package_id="alice/small-sums", case_key=f"key{number}", version="1.0.0",
                case=case, verdicts=[], bits=1.0, priority=float(count - number), state="open",
                created_at=hub.services.clock.now(),
            ))  # fmt: skip


def answers(hub: FilledHub) -> list[str]:
    with hub.services.database.reading() as session:
        return list(session.execute(text("SELECT answer FROM labels ORDER BY question_id")).scalars())


def test_keys_answer_and_judge_and_a_person_deletes_the_account(
    visit: Callable[..., Visit], shown_hub: FilledHub
) -> None:
    ask(shown_hub, 4)
    kim = visit()
    sign_up(kim, "kim")
    kim.go("/label")
    kim.page.get_by_label("Why").fill("123")  # typed in a field, they are letters
    kim.page.keyboard.press("Control+1")
    assert answers(shown_hub) == []
    for number, key in enumerate("123"):
        kim.sees(f"two, {number}")
        kim.page.locator("h1").click()  # out of the field
        with kim.page.expect_navigation():
            kim.page.keyboard.press(key)
        kim.sees(f"You have answered {number + 1} of")
    assert answers(shown_hub) == ["correct", "incorrect", "unsure"]

    kim.go("/packages/alice/small-sums/releases/1.1.0/try")
    kim.page.get_by_label("Response").fill("7")
    kim.page.keyboard.press("Control+Enter")
    sync_api.expect(kim.page.locator("[data-out]")).to_contain_text("would count as rejected")

    kim.go("/account")
    kim.page.get_by_label("Type kim to delete it").fill("kin")
    kim.press("Delete it for good")
    kim.sees("Type the account's name, kim")
    kim.page.get_by_label("Type kim to delete it").fill("kim")
    kim.press("Delete it for good")
    kim.page.wait_for_url(f"{shown_hub.url}/")
    assert kim.page.get_by_role("link", name="Sign in").count() > 0
    with shown_hub.services.database.reading() as session:
        assert session.execute(text("SELECT kind, email FROM accounts WHERE name = 'kim'")).all() == [("deleted", "")]
