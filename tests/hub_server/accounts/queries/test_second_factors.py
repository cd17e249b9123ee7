"""Second factors and recovery codes."""

from hub_server.accounts.models import RecoveryCodeRow, SecondFactorRow
from hub_server.accounts.queries import second_factors as factor_queries
from tests.making.action_driver import ActionDriver


def test_a_recovery_code_works_once_and_only_for_its_account(driver: ActionDriver) -> None:
    for name in ("ann", "ben"):
        driver.person(name)
    with driver.writing() as work:
        for code in ("one", "two"):
            work.session.add(RecoveryCodeRow(account_id="id-ann", code_sha256=code))
    for account, code, is_good in (("id-ben", "one", False), ("id-ann", "one", True), ("id-ann", "one", False)):
        with driver.writing() as work:
            assert factor_queries.remove_recovery_code(work.session, account, code) is is_good
    with driver.reading() as work:
        assert factor_queries.count_recovery_codes(work.session, "id-ann") == 1


def test_an_account_has_a_factor_while_its_app_is_on_or_it_has_a_key(driver: ActionDriver) -> None:
    for name in ("ann", "ben"):
        driver.person(name)
        with driver.writing() as work:
            work.session.add(SecondFactorRow(account_id=f"id-{name}", secret="ABC", created_at=work.now))
    with driver.writing() as work:
        row = work.session.get(SecondFactorRow, "id-ben")
        assert row is not None
        assert factor_queries.find_app(work.session, "id-ben") is None  # begun only
        assert not factor_queries.has_second_factor(work.session, "id-ben")
        row.enabled_at = work.now
    with driver.writing() as work:
        assert factor_queries.second_factors_of(work.session, "id-ben") == (True, False)
        assert factor_queries.find_app(work.session, "id-ben") is not None
        factor_queries.remove_app(work.session, "id-ben")
        assert not factor_queries.has_second_factor(work.session, "id-ben")
        assert not factor_queries.has_second_factor(work.session, "id-ann")
