"""``verihub admin`` on a hub that is in use: what the operator stops stays stopped for the running hub."""

import pytest

from hub_server.kernel.services import Services
from hub_server.moderation.models import ReportRow
from tests.hub_server.admin.conftest import Admin
from tests.making.hub import PASSWORD, Api, make_package

PACKAGE = "/api/v1/packages/alice/small-sums"


def actions_in_log(api: Api) -> list[str]:
    return [event["action"] for event in api.get("/api/v1/moderation/events").json()["items"]]


def test_an_operator_makes_a_moderator_with_or_without_an_account(api: Api, alice: Api, admin: Admin) -> None:
    missing = admin("make-admin", "carol")
    assert missing.exit_code == 9
    assert "--email" in missing.stderr
    assert admin("make-admin", "alice").exit_code == 0
    made = admin("make-admin", "carol", "--email", "c@example.org", "--password-stdin", typed=PASSWORD + "\n")
    assert made.exit_code == 0, made.output
    token = api.post("/api/v1/login", json={"name": "carol", "password": PASSWORD}).json()["secret"]
    assert api.as_token(token).get("/api/v1/account").json()["is_moderator"] is True
    assert alice.get("/api/v1/account").json()["is_moderator"] is True
    admin("remove-admin", "alice")
    assert alice.get("/api/v1/account").json()["is_moderator"] is False
    assert actions_in_log(api) == ["remove_moderator", "make_moderator", "make_moderator"]


def test_without_a_terminal_a_password_is_wanted_on_stdin_by_name(api: Api, admin: Admin) -> None:
    """It warned of an echo, asked twice, and ended as if somebody had interrupted it."""
    piped = admin("make-admin", "carol", "--email", "c@example.org", typed=PASSWORD + "\n")
    assert piped.exit_code == 2
    assert "--password-stdin" in piped.stderr
    assert api.get("/api/v1/accounts/carol").status_code == 404


def test_a_password_that_is_too_short_makes_no_account(api: Api, admin: Admin) -> None:
    short = admin("make-admin", "carol", "--email", "c@example.org", "--password-stdin", typed="short\n")
    assert short.exit_code == 9
    assert "password" in short.stderr
    assert api.get("/api/v1/accounts/carol").status_code == 404


def test_suspend_quarantine_takedown_and_block_reach_the_running_hub(api: Api, alice: Api, admin: Admin) -> None:
    alice.publish(make_package(version="1.0.0"))
    alice.publish(make_package(version="1.1.0"))
    assert admin("quarantine", "alice/small-sums@1.1.0", "--reason", "steals").exit_code == 0
    assert api.get(f"{PACKAGE}/releases/1.1.0/wheel").status_code == 410
    assert api.get(f"{PACKAGE}/releases/1.0.0/wheel").status_code == 200
    assert admin("quarantine", "alice/small-sums", "--reason", "all of it").exit_code == 0
    assert api.get(f"{PACKAGE}/releases/1.0.0/wheel").status_code == 410
    assert admin("unquarantine", "alice/small-sums", "--reason", "no").exit_code == 0
    assert admin("unquarantine", "alice/small-sums@1.1.0", "--reason", "no").exit_code == 0
    assert api.get(f"{PACKAGE}/releases/1.1.0/wheel").status_code == 200
    assert admin("suspend", "alice", "--reason", "malware", "--hide").exit_code == 0
    assert alice.get("/api/v1/account").json()["code"] == "account_suspended"
    assert api.get(PACKAGE).json()["code"] == "withheld"
    assert admin("unsuspend", "alice", "--reason", "no").exit_code == 0
    assert admin("takedown", "alice/small-sums@1.0.0", "--reason", "a leak", typed="n\n").exit_code == 1
    assert admin("takedown", "alice/small-sums@1.0.0", "--reason", "a leak", "--yes").exit_code == 0
    assert api.get(f"{PACKAGE}/releases/1.0.0/wheel").json()["code"] == "withheld"
    assert admin("block", "mallory", "--reason", "not them").exit_code == 0
    body = {"name": "mallory", "email": "m@example.org", "password": PASSWORD}
    assert api.post("/api/v1/accounts", json=body).json()["code"] == "name_blocked"
    assert admin("unblock", "mallory", "--reason", "them").exit_code == 0
    assert api.post("/api/v1/accounts", json=body).status_code == 201
    log = admin("log").stdout
    assert len(log.splitlines()) == 9
    assert all(" operator " in line for line in log.splitlines())
    assert "unblock_name  mallory  them" in log
    assert len(admin("log", "--account", "alice").stdout.splitlines()) == 2


def test_what_cannot_be_done_is_said_in_a_sentence(admin: Admin) -> None:
    for arguments in (
        ("suspend", "nobody", "--reason", "x"),
        ("quarantine", "alice/none", "--reason", "x"),
        ("unblock", "nothing", "--reason", "x"),
    ):
        answer = admin(*arguments)
        assert answer.exit_code == 9, arguments
        assert "Traceback" not in answer.output
    assert admin("block", "../etc", "--reason", "x").exit_code == 2
    assert admin("quarantine", "no-slash", "--reason", "x").exit_code == 2


def test_a_lost_second_factor_is_switched_off_for_a_reason(api: Api, alice: Api, admin: Admin) -> None:
    assert admin("reset-second-factor", "nobody", "--reason", "lost").exit_code == 9
    assert admin("reset-second-factor", "alice", "--reason", " ").exit_code == 9
    assert admin("reset-second-factor", "alice", "--reason", "lost her phone").exit_code == 0
    assert actions_in_log(api) == ["reset_second_factor"]


def test_the_operator_reads_and_ends_a_report_about_the_only_moderator(api: Api, alice: Api, admin: Admin) -> None:
    admin("make-admin", "alice")
    body = {"reason": "dishonest", "text": "it says\nthat it is another"}
    sent = api.sign_up("bob").post("/api/v1/owners/alice/reports", json=body).json()["id"]
    shown = admin("reports").stdout
    assert (sent in shown, "dishonest  alice  it says" in shown, len(shown.splitlines())) == (True, True, 1)
    assert admin("reports", "--state", "closed").exit_code == 9
    assert admin("decide", "none", "--acted", "--reason", "x").exit_code == 9
    assert admin("decide", sent, "--reason", "x").exit_code == 2, "how it ends is always said"
    for reason in (" ", "x" * 2001):
        refused = admin("decide", sent, "--dismissed", "--reason", reason)
        assert (refused.exit_code, "1 to 2,000 letters" in refused.stderr) == (2, True)
    ended = admin("decide", sent, "--dismissed", "--reason", "she is")
    assert (ended.exit_code, admin("reports").stdout) == (0, "")
    assert sent in admin("reports", "--state", "dismissed").stdout
    assert actions_in_log(api)[0] == "decide"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_nobody_pushes_a_report_out_of_the_operators_list(
    api: Api, alice: Api, admin: Admin, services: Services
) -> None:
    body = {"reason": "dishonest", "text": "it says that it is another"}
    sent = api.sign_up("bob").post("/api/v1/owners/alice/reports", json=body).json()["id"]
    with services.database.writing() as session:
        first = session.get_one(ReportRow, sent)
        rows = [
            ReportRow(
                id=f"z{number:03}", reason="spam", text="x", reporter=f"m{number // 30}", created_at=first.created_at,
                package_id=None, account=f"a{number}",
            )
            for number in range(120)
        ]  # fmt: skip
        session.add_all(rows)
    shown = admin("reports").stdout.splitlines()
    assert (len(shown), sent in shown[-1]) == (121, True)
