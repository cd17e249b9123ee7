"""Labels in the database: which answer counts, which question comes first."""

from hub_server.audits.models import LabelRow
from hub_server.audits.queries import labels as label_queries
from tests.hub_server.audits.judged import SUMS
from tests.hub_server.audits.test_models import question
from tests.making.action_driver import ActionDriver


def names(rows) -> list[str]:
    return [row.id for row in rows]


def test_of_several_answers_of_one_person_the_latest_counts_even_at_the_same_moment(hedging: ActionDriver) -> None:
    now = hedging.clock.now()
    with hedging.writing() as work:
        work.session.add(question(hedging))
        work.session.flush()
        for identifier, who, answer in (
            ("l1", "bob", "correct"),
            ("l2", "bob", "incorrect"),
            ("l0", "carol", "unsure"),
        ):
            work.session.add(LabelRow(id=identifier, question_id="q1", labelled_by=who, answer=answer, labelled_at=now))
    with hedging.reading() as work:
        assert label_queries.latest_answers(work.session, "q1") == {"bob": "incorrect", "carol": "unsure"}
        assert len(label_queries.labels_of_package(work.session, SUMS)) == 3
        assert label_queries.count_open_questions(work.session, SUMS, "bob") == 0
        assert label_queries.count_open_questions(work.session, SUMS, "dan") == 1
        assert label_queries.first_question(work.session, None, "dan", ["q1"]) is None
        assert label_queries.count_open_questions(work.session, "al/x", None) == 0


def test_questions_about_packages_that_are_not_listed_are_asked_of_nobody(hedging: ActionDriver) -> None:
    with hedging.writing() as work:
        work.session.add(question(hedging))
    with hedging.writing() as work:
        work.session.connection().exec_driver_sql("UPDATE packages SET is_listed = 0")
    with hedging.reading() as work:
        assert label_queries.first_question(work.session, None, None, []) is None
        assert label_queries.page_of_questions(work.session, None, None, 9) == []


def test_pages_of_questions_go_on_within_a_tie(hedging: ActionDriver) -> None:
    with hedging.writing() as work:
        for number, priority in enumerate((0.5, 0.9, 0.5, 0.5)):
            work.session.add(question(hedging, id=f"q{number}", case_key=str(number), priority=priority))
    with hedging.reading() as work:
        first = label_queries.page_of_questions(work.session, SUMS, None, 2)
        rest = label_queries.page_of_questions(work.session, SUMS, [first[-1].priority, first[-1].id], 9)
    assert names([*first, *rest]) == ["q1", "q0", "q2", "q3"]
