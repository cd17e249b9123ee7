import pytest

from hub_client.errors import UsageError
from hub_client.settings import DEFAULT_URL, ClientSettings, OutputFormat, command_line, global_options


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_argument_beats_environment_beats_project_beats_user(own_folders, tmp_path, monkeypatch) -> None:
    assert ClientSettings.load().url == DEFAULT_URL
    write(tmp_path / "config" / "config.toml", 'url = "http://user"\nformat = "quiet"\n')
    assert ClientSettings.load().url == "http://user"
    write(own_folders / ".verihub.toml", 'url = "http://project"\n')
    assert ClientSettings.load().url == "http://project"
    monkeypatch.setenv("VERIHUB_URL", "http://environment")
    assert ClientSettings.load().url == "http://environment"
    assert ClientSettings.load(url="http://argument", token=None).url == "http://argument"
    assert ClientSettings.load().format is OutputFormat.QUIET


def test_the_project_file_is_found_from_a_folder_below(own_folders, monkeypatch) -> None:
    write(own_folders / ".verihub.toml", "connections = 3\n")
    below = own_folders / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert ClientSettings.load().connections == 3


def test_global_options_of_the_command_line_count_as_arguments_everywhere(monkeypatch) -> None:
    monkeypatch.setenv("VERIHUB_URL", "http://environment")
    with command_line({"url": "http://typed"}):
        assert ClientSettings.load().url == "http://typed"
        assert ClientSettings.load(url="http://called").url == "http://called"
    assert ClientSettings.load().url == "http://environment"


@pytest.mark.parametrize(
    ("text", "word"),
    [('tokn = "x"', "must not have tokn"), ('token = "x"', "verihub login"), ("url = ", "cannot be read as TOML")],
)
def test_a_wrong_file_says_where_and_what(own_folders, text, word) -> None:
    write(own_folders / ".verihub.toml", text)
    with pytest.raises(UsageError, match=word) as caught:
        ClientSettings.load()
    assert ".verihub.toml" in str(caught.value)


def test_a_wrong_value_names_its_key() -> None:
    with pytest.raises(UsageError, match=r"url: .*http://"):
        ClientSettings.load(url="hub.example")


def test_a_wrong_value_is_named_as_it_was_given(own_folders, monkeypatch) -> None:
    with command_line({"url": "hub.example"}), pytest.raises(UsageError, match=r"--url: .*http://"):
        ClientSettings.load()
    write(own_folders / ".verihub.toml", "connections = 0\n")
    with pytest.raises(UsageError, match=r"connections in a settings file: .*\(it is 0\).*VERIHUB_CONNECTIONS"):
        ClientSettings.load()
    monkeypatch.setenv("VERIHUB_CONNECTIONS", "many")
    with pytest.raises(UsageError, match=r"VERIHUB_CONNECTIONS: .*\(it is 'many'\)"):
        ClientSettings.load()


def test_a_token_never_shows_in_a_printout() -> None:
    assert "secret" not in repr(ClientSettings.load(token="secret"))


def test_a_token_from_the_environment_is_not_sent_to_a_hub_that_only_a_project_names(own_folders, monkeypatch) -> None:
    monkeypatch.setenv("VERIHUB_TOKEN", "secret")
    assert ClientSettings.load().token_to_send() == "secret"
    write(own_folders / ".verihub.toml", 'url = "http://a-strangers.example"\n')
    assert ClientSettings.load().token_to_send() is None
    assert ClientSettings.load(url="http://a-strangers.example").token_to_send() == "secret"
    monkeypatch.setenv("VERIHUB_URL", "http://mine.example")
    assert ClientSettings.load().token_to_send() == "secret"


def test_a_misspelt_variable_is_said_without_the_values_of_others(monkeypatch) -> None:
    monkeypatch.setenv("VERIHUB_TOKEN", "vh_secret")
    monkeypatch.setenv("VERIHUB_OFLINE", "hunter2")
    with pytest.raises(UsageError) as caught:
        ClientSettings.load()
    assert str(caught.value) == ("a setting is not valid: VERIHUB_OFLINE is no setting: did you mean VERIHUB_OFFLINE?")


def test_global_options_are_given_again_as_they_were_typed() -> None:
    assert global_options() == []
    with command_line({"format": OutputFormat.QUIET, "offline": True, "min_age": "7"}):
        assert global_options() == ["--format", "quiet", "--min-age", "7", "--offline"]
