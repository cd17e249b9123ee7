import stat

import pytest

from hub_client.errors import HubClientError
from hub_client.transport.credentials import CredentialsFile


def test_a_token_is_found_for_exactly_its_hub(tmp_path) -> None:
    credentials = CredentialsFile(tmp_path)
    credentials.store("https://hub.example", "alice", "t1")
    credentials.store("https://hub.example/other", "bob", "t2")
    assert credentials.find("https://hub.example") == ("alice", "t1")
    assert credentials.find("https://hub.example/other") == ("bob", "t2")
    for look_alike in ("https://hub.example/", "http://hub.example", "https://HUB.example", "https://hub.example:443"):
        assert credentials.find(look_alike) is None


def test_only_the_owner_can_read_the_file(tmp_path) -> None:
    credentials = CredentialsFile(tmp_path / "new")
    credentials.store("https://hub.example", "alice", "t1")
    assert stat.S_IMODE(credentials.path.stat().st_mode) == 0o600


def test_forgetting_one_hub_keeps_the_others(tmp_path) -> None:
    credentials = CredentialsFile(tmp_path)
    credentials.store("https://a", "alice", "t1")
    credentials.store("https://b", "alice", "t2")
    assert credentials.forget("https://a")
    assert not credentials.forget("https://a")
    assert credentials.find("https://b") == ("alice", "t2")


@pytest.mark.parametrize(
    "text",
    ["not toml [", "hubs = 1", "hubs = []", '[hubs]\n"https://a" = "x"', '[hubs."https://a"]\naccount = "x"',
     '[hubs."https://a"]\naccount = "x"\ntoken = 7', "\x00"],
)  # fmt: skip
def test_a_damaged_file_says_what_to_do(tmp_path, text) -> None:
    credentials = CredentialsFile(tmp_path)
    credentials.path.write_text(text)
    with pytest.raises(HubClientError, match="delete it"):
        credentials.find("https://a")
