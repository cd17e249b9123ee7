"""``verihub admin activity`` on a hub that is in use."""

import json

from tests.hub_server.admin.conftest import Admin
from tests.making.hub import Api, make_package


def test_what_accounts_changed_is_shown_by_account_and_as_json(api: Api, alice: Api, bob: Api, admin: Admin) -> None:
    assert alice.publish(make_package()).status_code == 201
    said = admin("activity")
    assert said.exit_code == 0, said.output
    first, second, third = said.stdout.splitlines()
    assert first.endswith("alice  by token  Publish a release  /api/v1/packages")
    assert second.endswith("bob  by password  Sign up")
    assert third.endswith("alice  by password  Sign up")
    [only] = admin("activity", "--account", "bob", "--json").stdout.splitlines()
    assert json.loads(only)["act"] == "Sign up"
    assert len(admin("activity", "-n", "1").stdout.splitlines()) == 1
    missing = admin("activity", "--account", "nobody-here")
    assert missing.exit_code == 9
    assert "neither an account" in missing.stderr
