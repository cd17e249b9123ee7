"""Ten packages whose friends own suites, label rollouts or make new cases: one friend is worth no more than the author.

As in test_dishonest.py each is measured as a hub measures. A friend's word alone earns at most what the author's own
cases do, a C; where others have measured too, it earns no more than the true rates deserve, or than without the friend.
"""

import pytest

from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.rates import Grade
from schemas.measures.grades import is_worse
from schemas.measures.owners import HUB
from tests.sandbox.audit.test_dishonest import Package, _measure, answers, careful, deserved, easy
from tests.sandbox.audit.test_dishonest_friends import SECRET, friends_pool, near, near_and_right, of_suite


def owned(cases: list[AuditCase], owner: str, suite: str, origin: Origin = Origin.HELD) -> list[AuditCase]:
    return [case.model_copy(update={"behind": owner}) for case in of_suite(cases, suite, origin)]


def a_friends_generator():
    """Nobody else has a suite of the family."""
    return Package(near, []), owned(friends_pool(), "friend", "friend/sums")


def a_friend_and_the_friends_organisation():
    """Two suites of two names, and one person behind both."""
    more = near_and_right(answers(71, 300))
    return Package(near, []), [*a_friends_generator()[1], *owned(more, "friend", "friends-lab/more")]


def a_puppet_that_publishes_the_same_cases():
    """A second account with standing has copies: they count once."""
    return Package(near, []), [*a_friends_generator()[1], *owned(friends_pool(), "puppet", "puppet/sums")]


def a_puppet_with_two_forms():
    """400 cases, two ways of saying them."""
    return Package(near, []), [*a_friends_generator()[1], *owned(easy(), "puppet", "puppet/sums")]


def a_puppet_with_one_side():
    """Right answers alone: nothing of theirs can be wrongly accepted."""
    right = [case for case in answers(72, 200) if case.label is Label.CORRECT]
    return Package(near, []), [*a_friends_generator()[1], *owned(right, "puppet", "puppet/sums")]


def silent_on_the_puppets_cases():
    """Answers null on whatever it would get wrong there."""
    suite = answers(73, 200)
    hard = {case.response for case in suite} - {case.response for case in near_and_right(suite)}
    judge = lambda task, text: None if text in hard else near(task, text)  # noqa: E731
    return Package(judge, []), [*a_friends_generator()[1], *owned(suite, "puppet", "puppet/sums")]


def a_friend_who_labels_rollouts():
    """The owner of the suite labels 300 rollouts as well."""
    rollouts = [
        case.model_copy(update={"origin": Origin.ROLLOUT, "id": f"rollout-{case.id}", "first_look": True})
        for case in near_and_right(answers(74, 300))
    ]
    return Package(near, []), [*a_friends_generator()[1], *rollouts]


def a_friend_who_seconds():
    """And seconds counter-examples that the next release gets right."""
    seconded = [
        case.model_copy(update={"origin": Origin.COMMUNITY, "id": f"second-{case.id}", "first_look": True})
        for case in near_and_right(answers(75, 200))
    ]
    return Package(near, []), [*a_friends_generator()[1], *seconded]


def its_own_cases_in_two_names():
    """The author's rows say that two owners drew them."""
    cases = near_and_right(answers(76, 500))
    half = len(cases) // 2
    return Package(near, [*owned(cases[:half], HUB, "suites/sums"), *owned(cases[half:], "bo", "bo/sums")]), []


def ten_accounts_with_a_suite_each():
    """One person's, or people who agreed to lie: a rule that counts owners is bought by as many as it asks for."""
    pool = friends_pool()
    part = len(pool) // 10
    made = [owned(pool[n * part : (n + 1) * part], f"puppet-{n}", f"puppet-{n}/sums") for n in range(10)]
    return Package(near, []), [case for cases in made for case in cases]


def two_who_make_an_a_each():
    """Each would decide alone, and stands without the other."""
    more = near_and_right(answers(80, 500))
    return Package(near, []), [*a_friends_generator()[1], *owned(more, "accomplice", "accomplice/sums")]


ALONE = (
    a_friends_generator,
    ten_accounts_with_a_suite_each,
    two_who_make_an_a_each,
    a_friend_and_the_friends_organisation,
    a_puppet_that_publishes_the_same_cases,
    a_puppet_with_two_forms,
    a_puppet_with_one_side,
    silent_on_the_puppets_cases,
    a_friend_who_labels_rollouts,
    a_friend_who_seconds,
    its_own_cases_in_two_names,
)


@pytest.mark.parametrize("make", ALONE, ids=lambda make: make.__name__)
def test_friends_are_worth_no_more_than_the_author(make):
    package, pool = make()
    report = _measure(package, pool, seed=SECRET)
    assert not is_worse(Grade.C, report.grade), (report.grade, report.grading.capped)


@pytest.mark.parametrize("make", ALONE, ids=lambda make: make.__name__)
def test_beside_sixty_cases_of_the_hub_they_gain_nothing(make):
    package, pool = make()
    hard = owned(answers(42, 60), HUB, "suites/sums")
    report = _measure(package, [*pool, *hard], seed=SECRET)
    alone = _measure(package, hard, seed=SECRET)
    assert not is_worse(alone.grade, report.grade) or not is_worse(deserved(package), report.grade)


def test_who_knows_the_published_suite_by_heart_needs_more_than_a_friend_who_makes_new_cases():
    """A tenth: two owners prove a B each, but nothing that a stranger did not make was new."""
    public = of_suite(answers(77, 250), "suites/sums", Origin.SUITE)
    known = {case.response: float(case.label is Label.CORRECT) for case in public}
    package = Package(lambda task, text: known.get(text, near(task, text)), [])
    report = _measure(package, [*public, *owned(friends_pool(), "friend", "friend/sums")], seed=SECRET)
    assert is_worse(report.grade, Grade.A)
    assert deserved(package) is Grade.F, "what the published suite alone cannot show"


def test_an_honest_package_with_two_honest_owners_keeps_its_a():
    pool = [*owned(answers(78, 300), HUB, "suites/sums"), *owned(answers(79, 150), "bo", "bo/sums")]
    report = _measure(Package(careful, []), pool, seed=SECRET)
    assert (report.grade, report.grading.capped) == (Grade.A, [])
