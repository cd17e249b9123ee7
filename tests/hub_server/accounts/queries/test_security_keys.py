"""Rows of security keys."""

from hub_server.accounts.models import SecurityKeyRow
from hub_server.accounts.queries import security_keys as key_queries
from tests.making.action_driver import ActionDriver


def test_a_key_is_found_and_removed_by_its_own_account_alone(driver: ActionDriver) -> None:
    for name in ("ann", "ben"):
        driver.person(name)
        with driver.writing() as work:
            row = SecurityKeyRow(
                id=f"key-{name}",
                account_id=f"id-{name}",
                name="blue",
                credential_id=f"credential-{name}",
                public_key="",
                sign_count=4_294_967_295,  # the largest that a key sends
                created_at=work.now,
            )
            work.session.add(row)
    with driver.writing() as work:
        assert key_queries.find_security_key(work.session, "id-ann", "credential-ben") is None
        assert not key_queries.remove_security_key(work.session, "id-ann", "key-ben")
        assert key_queries.is_key_known(work.session, "credential-ben")
        found = key_queries.find_security_key(work.session, "id-ann", "credential-ann")
        assert found is not None
        assert found.sign_count == 4_294_967_295
        key_queries.remove_security_keys(work.session, "id-ann")
        assert key_queries.security_keys_of(work.session, "id-ann") == []
        assert key_queries.remove_security_key(work.session, "id-ben", "key-ben")
