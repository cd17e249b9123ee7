"""How many statements a list and a discussion cost, whatever their length; that no odd row breaks them."""

from sqlalchemy import text

from hub_server.discussions import actions
from schemas.discussions import DiscussionCreate, PostWrite
from tests.making.action_driver import ActionDriver, caller

ALICE = caller("alice")
PACKAGE = "alice/small-sums"


def write(driver: ActionDriver, replies: int, title: str = "A question") -> str:
    made = driver.do(ALICE, actions.open_discussion, PACKAGE, DiscussionCreate(title=title, text="Words."))
    for number in range(replies):
        driver.do(ALICE, actions.reply, PACKAGE, made.id, PostWrite(text=f"Reply {number}."))
    return made.id


def test_a_discussion_costs_as_many_statements_with_ten_replies_as_with_none(driver: ActionDriver) -> None:
    driver.person("alice")
    driver.publish(ALICE)
    counts = []
    for replies in (0, 10):
        discussion = write(driver, replies, f"{replies} replies")
        with driver.statements() as seen:
            driver.ask(None, actions.get_discussion, PACKAGE, discussion)
        counts.append(len(seen))
    with driver.statements() as seen:
        driver.ask(None, actions.list_discussions, PACKAGE)
    assert counts[0] == counts[1]
    assert len([one for one in seen if one.startswith("SELECT")]) == 3, "the package, a page, the counts"


def test_odd_rows_of_another_time_break_no_list(driver: ActionDriver) -> None:
    driver.person("alice")
    driver.publish(ALICE)
    discussion = write(driver, 1)
    with driver.writing() as work:
        odd = "UPDATE discussions SET title = :title, post_count = -3, closed_by = :title, closed_as = 'pope'"
        work.session.execute(text(odd), {"title": "\x1b[31m\n" + "x" * 9000})
        work.session.execute(text("UPDATE posts SET author = '', text = :text"), {"text": "\x07" * 90_000})
    page = driver.ask(None, actions.list_discussions, PACKAGE)
    assert [one.reply_count for one in page.items] == [-4]
    assert len(driver.ask(None, actions.get_discussion, PACKAGE, discussion).posts) == 2
    assert page.model_dump_json()
