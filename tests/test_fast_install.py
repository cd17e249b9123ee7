"""What pip is configured to use is what uv uses."""

import pytest

from scripts.fast_install import NoEqualError, environment_of, settings_of

LISTED = """\
:env:.default-timeout='180'
:env:.disable-pip-version-check='1'
:env:.find-links='/opt/wheels'
global.constraint='/etc/pip/constraints.txt'
global.extra-index-url='file:///one/simple\\nfile:///other/simple'
global.find-links='/elsewhere'
global.index-url='https://index.example/simple'
install.constraint='/etc/pip/stricter.txt'
download.index-url='https://another.example/simple'
"""


def test_the_environment_overrules_the_file_and_install_overrules_what_holds_for_all():
    settings = settings_of(LISTED)
    assert settings["find-links"] == "/opt/wheels"
    assert settings["constraint"] == "/etc/pip/stricter.txt"
    assert settings["index-url"] == "https://index.example/simple"


def test_a_command_that_is_not_install_has_settings_of_its_own():
    assert settings_of("download.no-binary=':all:'\nfreeze.timeout='3'") == {}


def test_uv_is_told_by_its_own_variables():
    assert environment_of(settings_of(LISTED)) == {
        "UV_DEFAULT_INDEX": "https://index.example/simple",
        "UV_INDEX": "file:///one/simple file:///other/simple",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_FIND_LINKS": "/opt/wheels",
        "UV_CONSTRAINT": "/etc/pip/stricter.txt",
        "UV_HTTP_TIMEOUT": "180",
    }


def test_several_folders_of_wheels_stand_between_commas():
    assert environment_of({"find-links": "/one\n/other"}) == {"UV_FIND_LINKS": "/one,/other"}


def test_where_pip_has_no_configuration_uv_gets_none():
    assert environment_of(settings_of("")) == {}


@pytest.mark.parametrize(
    "setting", ["require-hashes", "no-index", "no-binary", "proxy", "client-cert", "pre", "target"]
)
def test_a_setting_that_decides_what_is_installed_is_never_left_out(setting):
    """Without its equal uv might install what the machine's owner forbids: pip has to do it."""
    with pytest.raises(NoEqualError, match=setting):
        environment_of({"index-url": "https://index.example/simple", setting: "1"})
