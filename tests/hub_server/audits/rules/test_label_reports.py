"""A case is left out by what it says, whatever its id, while its label is the reported one, and up to a limit."""

import pytest

from hub_server.audits.rules import label_reports
from hub_server.audits.rules.case_revisions import is_revision_of
from hub_server.audits.rules.cases import case_key
from hub_server.audits.rules.label_reports import (
    AskedSuite,
    CountedReport,
    LeftOut,
    left_out,
    left_out_of_pool,
    most_by_standing,
    opposite_of,
    without_counting,
)
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.measures.intervals import wilson
from scripts.simulate_reports import fall, lied, pooled_fall


def case(number: int, label: Label = Label.INCORRECT) -> AuditCase:
    task = {"id": f"t{number}", "prompt": f"{number} + {number}?", "answer": 2 * number}
    return AuditCase(id=f"c{number}", task=task, response=f"{2 * number}", label=label)


def report(of: AuditCase, by: str = "owner", version: str = "1.0.0") -> CountedReport:
    turned = of.model_copy(update={"label": opposite_of(of.label)})
    return CountedReport(f"r-{of.id}", turned, version, by)


CASES = [case(n) for n in range(100)]


def out(cases: list[AuditCase], reports: list[CountedReport]) -> LeftOut:
    return left_out(cases, reports, lambda _version: {case_key(one) for one in CASES})


@pytest.mark.parametrize(
    ("change", "is_out"),
    [
        ({}, True),
        ({"id": "c200", "note": "n"}, True),
        ({"label": Label.CORRECT}, False),
        ({"response": "3"}, False),
        ({"response": "2."}, True),
    ],
)
def test_what_it_says_and_its_label_decide(change: dict[str, object], is_out: bool) -> None:
    found = out([CASES[1].model_copy(update=change)], [report(CASES[1])])
    assert (bool(found.cases), found.reports) == (is_out, {"r-c1"} if is_out else set())


def test_a_case_like_it_that_the_release_had_when_it_was_reported_stays() -> None:
    """Or one report would take out what nobody looked at."""
    twin = CASES[1].model_copy(update={"response": "2 !"})
    keys = {case_key(CASES[1]), case_key(twin)}
    assert left_out([CASES[1], twin], [report(CASES[1])], lambda _version: keys).cases == {CASES[1].id}


def test_without_reports_nothing_is_left_out() -> None:
    assert out(CASES, []) == LeftOut()
    assert [opposite_of(label) for label in Label] == [Label.INCORRECT, Label.CORRECT]


def test_ten_accounts_of_standing_take_out_as_few_as_two() -> None:
    found = out(CASES, [report(one, "standing") for one in CASES])
    assert found.cases == {"c0"}, "the one that was reported first"
    assert len(found.waiting) == 99


def test_owner_and_moderators_have_no_limit_and_use_up_none() -> None:
    reports = [report(one, "standing") for one in CASES[:50]] + [report(one, "moderator") for one in CASES[48:]]
    found = out(CASES, reports)
    assert found.cases == {one.id for one in [CASES[0], *CASES[48:]]}
    assert found.waiting == {f"r-c{n}" for n in range(1, 48)}


def test_each_label_has_its_own_limit_and_the_same_case_twice_is_one() -> None:
    right = [case(n, Label.CORRECT) for n in range(100, 110)]
    doubled = [CASES[0], CASES[0].model_copy(update={"id": "again"}), *right]
    found = out(doubled, [report(CASES[0], "standing"), report(right[0], "standing"), report(right[1], "standing")])
    assert found.cases == {"c0", "again", "c100"}
    assert found.waiting == {"r-c101"}


@pytest.mark.parametrize(("cases", "most"), [(0, 1), (10, 1), (100, 1), (250, 2), (500, 3), (10_000, 14)])
def test_the_limit_is_one_standard_error(cases: int, most: int) -> None:
    assert most_by_standing(cases) == most


def test_no_rate_falls_by_more_than_its_interval() -> None:
    """From where the limit bites; below 50 cases it is a single one."""
    assert max(fall(size, errors) for size in (50, 100, 200, 400, 1000) for errors in range(1, size // 3)) < 1
    for size in (5, 10, 20, 35):
        low, high = wilson(1, size)
        assert 1 / size < high - low


def test_no_pooled_rate_falls_by_more_than_its_interval() -> None:
    """With a limit for each suite alone it fell by up to 1.65 half widths."""
    found = [
        pooled_fall(size, rate, suites) for size in (50, 100, 400) for rate in (0.03, 0.1) for suites in (2, 4, 16)
    ]
    assert max(each for each, _ in found) > 1.5
    assert max(pooled for _, pooled in found) < 0.5


def test_accounts_that_report_every_error_of_a_friend_s_verifier_buy_little() -> None:
    """At a true rate of 20 %: all reports gave a better grade each time, before they had a limit."""
    found = lied(100, 0.2, 1, 20)
    assert found.unlimited == 1
    assert found.limited - found.without <= 0.2


def test_what_is_left_out_runs_and_is_in_no_rate() -> None:
    """Neither in those of the verifier nor, by its tag, in those of the suite."""
    found = without_counting(CASES[0].model_copy(update={"origin": Origin.SUITE, "tags": ["suite:moda/numbers"]}))
    assert (found.id, found.origin, found.tags) == (CASES[0].id, Origin.REPORTED, [])


def test_a_reported_case_is_compared_with_few_of_a_later_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite's page does this for each reader, and its owner may report hundreds of thousands of cases that are alike."""
    compared: list[str] = []

    def counting(case: AuditCase, earlier: AuditCase) -> bool:
        compared.append(case.id)
        return is_revision_of(case, earlier)

    monkeypatch.setattr(label_reports, "is_revision_of", counting)
    told = {"id": "t", "prompt": "Which is a fruit?", "answer": "pear"}
    old = [AuditCase(id=f"o{n}", task=told, response="stone " * (n + 1), label=Label.INCORRECT) for n in range(20)]
    new = [one.model_copy(update={"id": f"n{n}-{m}", "response": f"{one.response}, {'so ' * m}"})
           for n, one in enumerate(old) for m in range(50)]  # fmt: skip
    known = {case_key(one) for one in old}
    found = left_out(new, [report(one) for one in old], lambda _version: known).cases
    assert {f"n{n}-0" for n in range(20)} <= found, "what is nearest is found"
    assert len(compared) == 20 * 100
    compared.clear()
    left_out(old, [report(one) for one in old], lambda _version: known)
    assert compared == [], "a release has nothing that is put in the place of its own"


def of_suites(count: int, size: int = 50, by: str = "standing") -> list[AskedSuite]:
    """``count`` suites, in each of which somebody reports the first case."""
    cases = [case(n) for n in range(size)]
    return [AskedSuite(f"o{n}/s", cases, out(cases, [report(cases[0], by)])) for n in range(count)]


def test_what_may_be_taken_out_of_each_suite_does_not_add_up() -> None:
    """Sixteen suites of fifty: a single one of 800 loses three, and each of these lost one."""
    found = left_out_of_pool(of_suites(16))
    assert sum(map(len, found.values())) == most_by_standing(800) == 3


def test_one_suite_loses_what_it_lost_alone() -> None:
    [asked] = of_suites(1)
    assert left_out_of_pool([asked]) == {"o0/s": asked.out.cases}
    assert left_out_of_pool([]) == {}


def test_owners_and_moderators_are_not_limited_in_a_pool_and_use_up_none() -> None:
    asked = [*of_suites(16, by="moderator"), *[AskedSuite(f"x{one.suite}", one.cases, one.out) for one in of_suites(3)]]
    assert all(left_out_of_pool(asked).values())


def test_suites_take_turns() -> None:
    """Or whoever reports much in a suite of their own would keep a wrong label in another's."""
    cases = [case(n) for n in range(400)]
    flooded = AskedSuite("a/s", cases, out(cases, [report(one, "standing") for one in cases[:2]]))
    [other] = of_suites(1)
    found = left_out_of_pool([flooded, AskedSuite("b/s", other.cases, other.out), *of_suites(1, 50, "owner")])
    assert (len(found["a/s"]), len(found["b/s"])) == (2, 1)
    small = [AskedSuite("a/s", cases[:200], flooded.out), AskedSuite("b/s", other.cases[:5], other.out)]
    found = left_out_of_pool(small)
    assert (len(found["a/s"]), len(found["b/s"])) == (1, 1)


def test_what_the_verifier_is_not_asked_uses_up_none() -> None:
    """An audit draws a sample of a large suite."""
    [one] = of_suites(1)
    unasked = AskedSuite("a/s", one.cases[1:], one.out)
    assert left_out_of_pool([unasked, AskedSuite("b/s", one.cases, one.out)])["b/s"] == {"c0"}


def test_a_case_that_stands_twice_in_a_suite_is_one_in_the_pool() -> None:
    doubled = [*CASES, CASES[0].model_copy(update={"id": "again"})]
    asked = AskedSuite("a/s", doubled, out(doubled, [report(CASES[0], "standing")]))
    assert left_out_of_pool([asked])["a/s"] == {"c0", "again"}
