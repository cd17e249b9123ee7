"""What a hub has signed is shown, and whatever does not fit is exit 7."""

import httpx
import pytest

from tests.making.journal_hub import JournalHub
from tests.making.scripted_hub import URL
from tests.making.wheel import make_wheel

TARGET = "alice/small-sums"


@pytest.fixture
def there(monkeypatch, verihub):
    hub = JournalHub()
    hub.add(make_wheel())
    monkeypatch.setattr("hub_client.transport.connection.DeadlineTransport", lambda _: httpx.MockTransport(hub))
    monkeypatch.setenv("VERIHUB_URL", URL)
    return hub


def test_a_release_is_shown_with_its_place_in_the_journal(verihub, there) -> None:
    said = verihub("verify", TARGET)
    digest = there.releases[TARGET][0].digest
    assert (said.code, said.out.split("\n")[:2]) == (0, [f"{TARGET}@1.0.0  {digest}", "  entry 1 of 1"])
    assert f"journal verihub/test: 1 entry, signed by {there.key.public('x').id}" in said.out
    (item,) = verihub("verify", TARGET, "--format", "json").json["items"]
    assert (item["reference"], item["position"], item["size"]) == (f"{TARGET}@1.0.0", 0, 1)


def test_a_lock_is_verified_as_a_whole_also_on_a_machine_that_never_saw_the_hub(
    verihub, there, monkeypatch, tmp_path
) -> None:
    assert verihub("lock", TARGET, "--no-images").code == 0
    assert verihub("verify").code == 0
    monkeypatch.setenv("VERIHUB_CONFIG_DIR", str(tmp_path / "fresh"))
    assert verihub("sync", "--frozen", "--offline").code == 0, "the lock brings the hub's keys"
    there.forge(0, sha256="0" * 64)
    there.add(make_wheel(version="2.0"))
    monkeypatch.setenv("VERIHUB_CACHE_DIR", str(tmp_path / "empty"))
    said = verihub("verify", "verihub.lock")
    assert said.code == 7
    assert "changed its past" in said.err


def test_a_lock_without_the_hubs_signature_is_good_enough_only_where_none_is_asked_for(
    verihub, scripted, own_folders
) -> None:
    scripted.add(make_wheel())
    assert verihub("lock", TARGET, "--no-images").code == 0
    assert verihub("sync").code == 0
    for arguments in (["sync", "--frozen"], ["verify"], ["verify", TARGET]):
        assert verihub(*arguments).code == 7


@pytest.mark.parametrize(("target", "code"), [("nonsense", 2), ("verihub.lock", 4), ("alice/nothing", 4)])
def test_what_is_not_there_is_said(verihub, there, target, code) -> None:
    assert verihub("verify", target).code == code
