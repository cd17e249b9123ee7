"""Settings of many machines: from the environment, within bounds, and refused with their names."""

import pytest
from pydantic import BaseModel, ValidationError

from sandbox.cluster.settings import ClusterSettings, RaySettings, RemoteSettings


def test_the_environment_is_read_under_three_prefixes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_CLUSTER_SPILL_SECONDS", "0.25")
    monkeypatch.setenv("VERIHUB_SANDBOX_RAY_ADDRESS", "10.0.0.1:6379")
    monkeypatch.setenv("VERIHUB_SANDBOX_REMOTE_NODES", '["ssh gpu-7 python -m sandbox node", "ssh gpu-8 verihub node"]')
    assert ClusterSettings().spill_seconds == 0.25
    assert RaySettings().address == "10.0.0.1:6379"
    assert RemoteSettings().nodes == ["ssh gpu-7 python -m sandbox node", "ssh gpu-8 verihub node"]
    assert ClusterSettings(spill_seconds=2).spill_seconds == 2, "an argument comes before the environment"


def test_one_command_that_is_no_list_is_refused_and_not_taken_letter_by_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_REMOTE_NODES", "ssh gpu-7")
    with pytest.raises(Exception, match="nodes"):
        RemoteSettings()


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [
        (ClusterSettings, "calls_per_node", 0),
        (ClusterSettings, "spill_seconds", 0),
        (ClusterSettings, "join_seconds", -1),
        (ClusterSettings, "wait_seconds", 0),
        (ClusterSettings, "silence_seconds", 0),
        (ClusterSettings, "poll_seconds", 0),
        (ClusterSettings, "poll_seconds", "often"),
        (RaySettings, "share", 0),
        (RaySettings, "share", 1.5),
        (RaySettings, "cpus", -1),
    ],
)
def test_what_would_stop_a_cluster_or_spin_is_refused_by_its_name(
    model: type[BaseModel], name: str, value: object
) -> None:
    with pytest.raises(ValidationError, match=name):
        model(**{name: value})


def test_settings_do_not_change_under_a_running_cluster() -> None:
    with pytest.raises(ValidationError):
        ClusterSettings().poll_seconds = 3  # type: ignore[misc]
