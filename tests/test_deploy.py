"""The examples in ``deploy/`` name settings, options and files that exist, and hold no secret."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from inspect import signature
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import typer
import yaml

from hub_server import cli
from hub_server.ops.endpoints import router as ops
from hub_server.settings import ServerSettings
from sandbox.cluster.settings import RaySettings
from sandbox.settings import SandboxSettings

DEPLOY = Path(__file__).parents[1] / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
OBJECTS: list[dict[str, Any]] = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))
PODS = [one["spec"]["template"]["spec"] for one in OBJECTS if one["kind"] == "Deployment"]
CONTAINERS = [container for pod in PODS for container in pod["containers"]]


SETTINGS = {
    "VERIHUB_SERVER_": ServerSettings,
    "VERIHUB_SANDBOX_RAY_": RaySettings,
    "VERIHUB_SANDBOX_": SandboxSettings,
}
"""Whose variables begin so; the first that fits."""


def commands() -> list[list[str]]:
    of_compose = [one["command"] for name, one in COMPOSE["services"].items() if name in ("web", "worker")]
    return [*of_compose, *(container["args"] for container in CONTAINERS)]


def variables() -> dict[str, str]:
    """Every variable that an example sets, with a value where it has one."""
    found: dict[str, str] = {}
    for service in COMPOSE["services"].values():
        found |= service.get("environment", {})
    for one in OBJECTS:
        found |= one.get("data", {}) if one["kind"] == "ConfigMap" else {}
    for container in CONTAINERS:
        found |= {given["name"]: given.get("value", "postgresql://x@y/z") for given in container.get("env", [])}
    found |= dict(re.findall(r"(VERIHUB_\w+)=(\S+)", (DEPLOY / "Containerfile").read_text()))
    return {name: re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", str(value)) for name, value in found.items()}


def test_every_variable_is_a_setting_and_takes_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {name: value for name, value in variables().items() if name.startswith("VERIHUB_")}
    assert len(given) > 8
    for name in list(os.environ):
        if name.startswith("VERIHUB_"):
            monkeypatch.delenv(name)
    for name, value in given.items():
        settings = next(kind for prefix, kind in SETTINGS.items() if name.startswith(prefix))
        before = settings().model_dump()
        monkeypatch.setenv(name, value)
        assert settings().model_dump() != before, f"{name}={value} changes nothing"
        monkeypatch.delenv(name)


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_takes_its_options(command: list[str]) -> None:
    name, *options = command
    app = typer.Typer()
    app.command()(getattr(cli, name))
    typer.main.get_command(app).make_context(name, options)


@pytest.mark.parametrize("one", OBJECTS, ids=lambda one: one["kind"])
def test_kubernetes_knows_every_field_of_the_objects(one: dict[str, Any]) -> None:
    kubernetes_validate.validate(one, "1.31", strict=True)
    if "spec" in one:
        with pytest.raises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate({**one, "spec": {**one["spec"], "replica": 2}}, "1.31", strict=True)


def test_files_that_are_named_are_there() -> None:
    assert (DEPLOY.parent / COMPOSE["x-hub"]["build"]["dockerfile"]).is_file()
    [mount] = COMPOSE["services"]["proxy"]["volumes"]
    assert (DEPLOY / mount.split(":")[0]).is_file()
    secrets = set(re.findall(r"\$\{(\w+):\?\}", (DEPLOY / "compose.yaml").read_text()))
    example = dict(re.findall(r"^(\w+)=(.*)$", (DEPLOY / "example.env").read_text(), re.MULTILINE))
    assert secrets == {name for name, value in example.items() if not value}  # no secret has a default


def test_who_answers_strangers_runs_nothing_and_holds_nothing_more_than_it_needs() -> None:
    web, worker = COMPOSE["services"]["web"], COMPOSE["services"]["worker"]
    assert "--no-worker" in web["command"]
    assert not [mount for mount in web["volumes"] if "docker.sock" in mount]
    assert [mount for mount in worker["volumes"] if "docker.sock" in mount]
    for pod in PODS:
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        for container in (*pod["containers"], *pod["initContainers"]):
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            mounted = {one["name"] for one in container["volumeMounts"]}
            assert mounted <= {one["name"] for one in pod["volumes"]}


def test_a_process_has_longer_to_stop_than_it_takes() -> None:
    stop = float(next(one for one in OBJECTS if one["kind"] == "ConfigMap")["data"]["VERIHUB_SERVER_STOP_SECONDS"])
    for pod in PODS:
        assert (
            pod["terminationGracePeriodSeconds"] > stop + 5 + 5
        )  # the pause before it, and the worker's jobs after it


def test_probes_ask_what_the_hub_answers_under_any_name() -> None:
    """A probe's Host is the pod's address, which no setting names: only these two are not refused for it."""
    [web] = [one for one in CONTAINERS if one["name"] == "web"]
    probes = {name: one["httpGet"] for name, one in web.items() if name.endswith("Probe")}
    assert {name: one["path"] for name, one in probes.items()} == {
        "livenessProbe": "/healthz", "readinessProbe": "/readyz", "startupProbe": "/healthz"
    }  # fmt: skip
    assert {one["path"] for one in probes.values()} <= {route.path for route in ops.routes}
    ports = {port["name"]: port["containerPort"] for port in web["ports"]}
    assert {ports[one["port"]] for one in probes.values()} == {signature(cli.serve).parameters["port"].default}


def test_every_name_by_which_one_object_means_another_is_given() -> None:
    named = {(one["kind"], one["metadata"]["name"]): one for one in OBJECTS}
    labels = [one["spec"]["template"]["metadata"]["labels"] for one in OBJECTS if one["kind"] == "Deployment"]
    service, budget = named["Service", "verihub"]["spec"], named["PodDisruptionBudget", "verihub-web"]["spec"]
    assert service["selector"] in labels
    assert budget["selector"]["matchLabels"] in labels
    [web] = [one for one in CONTAINERS if one["name"] == "web"]
    assert {one["targetPort"] for one in service["ports"]} <= {one["name"] for one in web["ports"]}
    [rule] = named["Ingress", "verihub"]["spec"]["rules"]
    [path] = rule["http"]["paths"]
    assert ("Service", path["backend"]["service"]["name"]) in named
    assert path["backend"]["service"]["port"]["name"] in {one["name"] for one in service["ports"]}
    settings = named["ConfigMap", "verihub"]["data"]
    assert rule["host"] in settings["VERIHUB_SERVER_HOSTS"]
    assert rule["host"] in settings["VERIHUB_SERVER_PUBLIC_URL"]
    made = set(re.findall(r"--from-(?:literal|file)=([\w.-]+)", (DEPLOY / "kubernetes.yaml").read_text()))
    for pod in PODS:
        asked = {
            one["valueFrom"]["secretKeyRef"]["key"]
            for box in pod["containers"]
            for one in box["env"]
            if "valueFrom" in one
        }
        asked |= {item["key"] for volume in pod["volumes"] for item in volume.get("secret", {}).get("items", [])}
        assert asked == made
        assert {source["configMapRef"]["name"] for box in pod["containers"] for source in box["envFrom"]} == {"verihub"}


def test_the_limit_of_a_body_before_the_hub_is_no_lower_than_the_hub_s_own() -> None:
    [ingress] = [one for one in OBJECTS if one["kind"] == "Ingress"]
    megabytes = int(ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/proxy-body-size"].removesuffix("m"))
    limits = ServerSettings().limits
    assert megabytes * 2**20 >= max(limits.wheel_bytes, limits.score_line_bytes)


def test_the_systemd_unit_is_one_and_starts_the_hub_by_options_that_exist(tmp_path: Path) -> None:
    text = (DEPLOY / "verihub.service").read_text()
    (command,) = re.findall(r"^ExecStart=(.+)$", text, re.MULTILINE)
    program, name, *options = command.split()
    assert (program, name, options) == ("/opt/verihub/bin/verihub", "serve", ["--data", "/var/lib/verihub"])
    assert "RestartPreventExitStatus=8" in text
    if shutil.which("systemd-analyze"):
        unit = tmp_path / "verihub.service"
        unit.write_text(text.replace(program, sys.executable))  # it looks whether the program is there
        done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
        assert (done.returncode, [line for line in done.stderr.splitlines() if "verihub.service" in line]) == (0, [])


def test_every_image_is_built_by_something_here_or_is_somebody_else_s() -> None:
    """The workers' image had a name, and nothing that made it."""
    others = {"postgres", "minio/minio", "minio/mc", "nginx"}
    named = {service["image"] for service in COMPOSE["services"].values()}
    named |= {box["image"] for pod in PODS for box in [*pod["containers"], *pod["initContainers"]]}
    texts = [(DEPLOY / name).read_text() for name in ("Containerfile", "kubernetes.yaml")]
    builds = [
        dict(re.findall(r"^# +docker build -f deploy/Containerfile -t (\S+) (.*)\.", text, re.MULTILINE))
        for text in texts
    ]
    assert {image.partition(":")[0] for image in named} - others == builds[0].keys()
    assert {image: options.strip() for image, options in builds[0].items()} == {
        image: options.strip() for image, options in builds[1].items()
    }
    known = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    arguments = dict(re.findall(r"^ARG (\w+)=(.*)$", texts[0], re.MULTILINE))
    for options in builds[0].values():
        given = arguments | dict(re.findall(r"--build-arg (\w+)=(\S+)", options))
        assert given.keys() == arguments.keys()
        assert set(given["EXTRAS"].split(",")) <= known.keys()
    assert "/source[${EXTRAS}]" in texts[0]
    [worker] = [box for box in CONTAINERS if box["name"] == "worker"]
    backend = next(one["value"] for one in worker["env"] if one["name"] == "VERIHUB_SERVER_SANDBOX__BACKEND")
    assert backend in builds[0][worker["image"]], "its image has what its backend needs"


def test_workers_are_put_on_nodes_of_their_own() -> None:
    web, worker = PODS
    assert "nodeSelector" not in web
    [(label, value)] = worker["nodeSelector"].items()
    assert worker["tolerations"] == [{"key": label, "operator": "Equal", "value": value, "effect": "NoSchedule"}]
    text = (DEPLOY / "kubernetes.yaml").read_text()
    assert f"kubectl label node NODE… {label}={value} && kubectl taint node NODE… {label}={value}:NoSchedule" in text
