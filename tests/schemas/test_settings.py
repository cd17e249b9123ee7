"""A misspelt setting is an error: what it meant to change would silently stay as it is."""

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_settings import SettingsConfigDict

from hub_client.settings import ClientSettings
from hub_server.settings import ServerSettings
from sandbox.cluster.settings import ClusterSettings, RaySettings, RemoteSettings
from sandbox.images.settings import ImageSettings
from sandbox.settings import SandboxSettings
from schemas.settings import PREFIXES, Settings, misspelt, why_unusable

ALL = [ServerSettings, SandboxSettings, ClusterSettings, RemoteSettings, RaySettings, ImageSettings, ClientSettings]


class Group(BaseModel):
    model_config = ConfigDict(extra="forbid")
    size: int = 1


class Example(Settings):
    model_config = SettingsConfigDict(env_prefix="VERIHUB_IMAGES_", env_nested_delimiter="__")

    name: str = ""
    group: Group = Group()


def test_every_class_of_settings_has_a_prefix_of_its_own() -> None:
    assert sorted(one.model_config["env_prefix"] for one in ALL) == sorted(PREFIXES)
    assert min(PREFIXES, key=len) == PREFIXES[-1]


@pytest.mark.parametrize(
    ("kind", "variable", "meant"),
    [
        (SandboxSettings, "VERIHUB_SANDBOX_RUNTIM", "VERIHUB_SANDBOX_RUNTIME"),
        (ServerSettings, "VERIHUB_SERVER_SIGN_UP_OPNE", "VERIHUB_SERVER_SIGN_UP_OPEN"),
        (ServerSettings, "VERIHUB_SERVER_LIMIT__WHEEL_BYTES", "VERIHUB_SERVER_LIMITS"),
        (ClientSettings, "VERIHUB_OFLINE", "VERIHUB_OFFLINE"),
        (RaySettings, "verihub_sandbox_ray_adress", "VERIHUB_SANDBOX_RAY_ADDRESS"),
        (ImageSettings, "VERIHUB_IMAGES_MIRORR", "VERIHUB_IMAGES_MIRROR"),
    ],
)
def test_a_near_miss_is_refused_with_what_was_meant(
    monkeypatch: pytest.MonkeyPatch, kind: type[Settings], variable: str, meant: str
) -> None:
    monkeypatch.setenv(variable, "1")
    with pytest.raises(ValidationError, match=f"{variable} is no setting: did you mean {meant}?"):
        kind()


def test_what_is_like_no_setting_is_refused_too_but_by_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_ZZZ", "1")
    with pytest.raises(ValidationError, match="VERIHUB_SANDBOX_ZZZ is no setting"):
        SandboxSettings()
    monkeypatch.setenv("VERIHUB_MODEL_KEY", "another program reads it")
    ClientSettings()


def test_a_variable_of_another_class_is_left_to_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_RAY_ZZZ", "1")
    monkeypatch.setenv("VERIHUB_SERVER_ZZZ", "1")
    SandboxSettings()
    ClientSettings()


def test_fields_of_groups_are_checked_by_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIHUB_IMAGES_GROUP__SIZE", "4")
    assert Example().group.size == 4
    monkeypatch.setenv("VERIHUB_IMAGES_GROUP__SIZ", "4")
    with pytest.raises(ValidationError, match="siz"):
        Example()


@pytest.mark.parametrize("kind", [ServerSettings, SandboxSettings, ImageSettings])
def test_an_argument_that_is_no_setting_is_refused(kind: type[Settings]) -> None:
    with pytest.raises(ValidationError, match="no_such"):
        kind(no_such=1)


def test_nothing_but_names_is_looked_at() -> None:
    assert misspelt(["PATH", "VERIHUB", "VERIHUB_IMAGES_NAME"], "VERIHUB_IMAGES_", ["NAME"], None, knows_all=True) == []


def test_what_kubernetes_tells_pods_of_a_service_is_no_misspelt_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service named verihub-server in the namespace must not keep the hub from starting."""
    for prefix in PREFIXES:
        for name, value in {
            "SERVICE_HOST": "10.0.0.1", "SERVICE_PORT": "80", "SERVICE_PORT_HTTP": "80", "PORT": "tcp://10.0.0.1:80",
            "PORT_80_TCP": "tcp://10.0.0.1:80", "PORT_80_TCP_ADDR": "10.0.0.1", "PORT_80_TCP_PORT": "80",
            "PORT_80_TCP_PROTO": "tcp",
        }.items():  # fmt: skip
            monkeypatch.setenv(prefix + name, value)
    for kind in ALL:
        kind()
    monkeypatch.setenv("VERIHUB_SERVER_PORT", "8080")
    with pytest.raises(ValidationError, match="VERIHUB_SERVER_PORT is no setting"):
        ServerSettings()


def test_what_is_wrong_is_said_without_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIHUB_SERVER_LIMITS__WHEEL_BYTES", "hunter2")
    with pytest.raises(ValidationError) as caught:
        ServerSettings()
    assert why_unusable(caught.value).startswith("VERIHUB_SERVER_LIMITS__WHEEL_BYTES: Input should be a valid integer")
    assert "hunter2" not in why_unusable(caught.value)
    with pytest.raises(ValidationError) as other:
        Group(size="hunter2")
    assert why_unusable(other.value) == ""
