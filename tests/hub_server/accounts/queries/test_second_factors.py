"""Second factors and recovery codes."""

from hub_server.accounts.models import RecoveryCodeRow, SecondFactorRow
from hub_server.accounts.queries import second_factors as factor_queries
from tests.making.desk import Desk


def test_a_recovery_code_works_once_and_only_for_its_account(desk: Desk) -> None:
    for name in ("ann", "ben"):
        desk.person(name)
    with desk.writing() as work:
        for code in ("one", "two"):
            work.session.add(RecoveryCodeRow(account_id="id-ann", code_sha256=code))
    for account, code, is_good in (("id-ben", "one", False), ("id-ann", "one", True), ("id-ann", "one", False)):
        with desk.writing() as work:
            assert factor_queries.remove_recovery_code(work.session, account, code) is is_good
    with desk.reading() as work:
        assert factor_queries.count_recovery_codes(work.session, "id-ann") == 1


def test_removing_a_second_factor_takes_its_codes_and_leaves_others(desk: Desk) -> None:
    with_codes = ("ann", "ben")
    for name in with_codes:
        desk.person(name)
        with desk.writing() as work:
            work.session.add(SecondFactorRow(account_id=f"id-{name}", secret="ABC", created_at=work.now))
            work.session.add(RecoveryCodeRow(account_id=f"id-{name}", code_sha256="one"))
    desk.do(None, lambda work: factor_queries.remove_second_factor(work.session, "id-ann"))
    with desk.reading() as work:
        assert factor_queries.find_second_factor_of(work.session, "ann") is None
        assert factor_queries.find_second_factor_of(work.session, "ben") is not None
        assert factor_queries.count_recovery_codes(work.session, "id-ann") == 0
        assert factor_queries.count_recovery_codes(work.session, "id-ben") == 1
