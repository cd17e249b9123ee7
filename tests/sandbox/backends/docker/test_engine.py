"""Images and containers on an engine that answers as told: what it refuses, half does, or does twice."""

import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.docker.engine import DockerEngine, Removal, seccomp_profile
from sandbox.errors import HostFaultError
from sandbox.images.errors import ImageEngineError
from tests.fakes.docker_engine import HANGS_UP, PODMAN, SILENT, Asked, Raw, Reply, ScriptedEngine, refusal
from tests.sandbox.backends.docker.test_attached import piece

NAME = "verihub/base:1-amd64"
IMAGE = {
    "Id": "sha256:aa",
    "RepoTags": [NAME],
    "Config": {"Labels": {"verihub.image": "base"}},
    "RootFS": {"Type": "layers", "Layers": ["sha256:01", "sha256:02"]},
    "Size": 82_800_000,
    "Metadata": {"LastTagTime": "2026-02-03T04:05:06.789012345Z"},
}


@pytest.fixture
def engine(scripted: ScriptedEngine) -> Iterator[DockerEngine]:
    scripted.images[NAME] = IMAGE
    made = DockerEngine(scripted.url, timeout_seconds=60)
    yield made
    made.close()


def test_an_image_is_known_by_tag_id_labels_and_layers(engine: DockerEngine) -> None:
    found = engine.find(NAME)
    assert found is not None
    assert (found.image_id, found.references, found.size_bytes) == ("sha256:aa", (NAME,), 82_800_000)
    assert (found.labels, found.layers) == ({"verihub.image": "base"}, ("sha256:01", "sha256:02"))
    assert found.used_at == datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)
    assert engine.find("verihub/base:2-amd64") is None


@pytest.mark.parametrize("missing", ["RepoTags", "Config", "RootFS", "Size", "Metadata"])
@pytest.mark.parametrize("how", ["left out", "null"])
def test_an_image_of_an_engine_that_says_less_is_still_found(
    engine: DockerEngine, scripted: ScriptedEngine, missing: str, how: str
) -> None:
    """Podman and the containerd image store leave out fields, or say null."""
    said: dict[str, Any] = {**IMAGE, missing: None}
    if how == "left out":
        del said[missing]
    scripted.images[NAME] = said
    found = engine.find(NAME)
    assert found is not None
    assert found.image_id == "sha256:aa"


@pytest.mark.parametrize(
    "said", [[], None, {}, {**IMAGE, "Size": "large"}, {**IMAGE, "Metadata": {"LastTagTime": "yesterday, at noon"}}]
)
def test_an_image_that_cannot_be_understood_is_a_fault_and_never_no_image(
    engine: DockerEngine, scripted: ScriptedEngine, said: Any
) -> None:
    """None would have it built again, each time."""
    scripted.told["GET /images/*/json"] = Reply(said)
    with pytest.raises(ImageEngineError, match=f"would not inspect {NAME}"):
        engine.find(NAME)


def test_an_image_that_goes_between_the_list_and_the_look_is_left_out(
    engine: DockerEngine, scripted: ScriptedEngine
) -> None:
    scripted.told["GET /images/json"] = Reply([{"Id": "sha256:gone"}, {"Id": NAME}])
    assert [record.image_id for record in engine.labelled({"verihub.image": "base", "verihub.any": ""})] == [
        "sha256:aa"
    ]
    [listed] = [asked for asked in scripted.asked if asked.path == "/images/json"]
    assert listed.query["filters"] == ['{"label": ["verihub.image=base", "verihub.any"]}']


def test_the_time_of_an_image_that_was_never_tagged_is_not_known(
    engine: DockerEngine, scripted: ScriptedEngine
) -> None:
    scripted.images[NAME] = {**IMAGE, "Metadata": {"LastTagTime": "0001-01-01T00:00:00Z"}}
    found = engine.find(NAME)
    assert found is not None
    assert found.used_at is None


def test_a_tag_with_a_registrys_port_is_cut_at_its_last_colon(engine: DockerEngine, scripted: ScriptedEngine) -> None:
    scripted.told["POST /images/*/tag"] = Reply(status=201)
    engine.tag("sha256:aa", "127.0.0.1:5000/verihub/base:1")
    [asked] = [one for one in scripted.asked if one.path.endswith("/tag")]
    assert (asked.query["repo"], asked.query["tag"]) == (["127.0.0.1:5000/verihub/base"], ["1"])


@pytest.mark.parametrize(
    ("answer", "outcome"), [(Reply([]), True), (refusal(404, "no such image"), True), (refusal(409, "in use"), False)]
)
def test_an_image_in_use_stays_and_one_that_is_gone_is_removed(
    engine: DockerEngine, scripted: ScriptedEngine, answer: Reply, outcome: bool
) -> None:
    scripted.told["DELETE /images/*"] = answer
    assert engine.remove(NAME) is outcome


Ask = Callable[[DockerEngine], object]
REQUESTS: dict[str, tuple[str, Ask]] = {
    "remove": ("DELETE /images/*", lambda engine: engine.remove(NAME)),
    "find": ("GET /images/*/json", lambda engine: engine.find(NAME)),
    "labelled": ("GET /images/json", lambda engine: engine.labelled({})),
    "tag": ("POST /images/*/tag", lambda engine: engine.tag("sha256:aa", NAME)),
    "pull": ("POST /images/create", lambda engine: engine.pull(NAME, 3)),
    "export": ("GET /containers/*/export", lambda engine: list(engine.export(NAME))),
    "attach": ("POST /containers/*/attach", lambda engine: engine.attach("c1", stdin=True)),
    "remove a container": ("DELETE /containers/*", lambda engine: engine.remove_container("c1")),
    "run once": ("POST /containers/*/start", lambda engine: engine.run_once(NAME, ["true"], b"", 5)),
    "wait": ("POST /containers/*/wait", lambda engine: engine.run_once(NAME, ["true"], b"", 5)),
}


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("answer", [refusal(500, "no"), HANGS_UP, SILENT], ids=["refuses", "hangs up", "silent"])
def test_whatever_goes_wrong_is_a_fault_of_the_host(scripted: ScriptedEngine, name: str, answer: Any) -> None:
    pattern, ask = REQUESTS[name]
    engine = DockerEngine(scripted.url, timeout_seconds=60)
    if answer is SILENT:
        _wait_briefly(engine)
    if name == "wait":
        scripted.told["POST /containers/*/start"] = _ends_at_once(scripted)
    scripted.told[pattern] = answer
    with pytest.raises(HostFaultError, match="the Docker engine would not"):
        ask(engine)
    scripted.end_silence()
    engine.close()


def _wait_briefly(engine: DockerEngine) -> None:
    """For all but the engine's version, which the client has asked for by now: each new client asks for it."""
    engine.api.timeout = 0.1  # type: ignore[assignment]  # docker-py says int; a part of a second works as well
    engine.api.get_adapter(engine.api.base_url).timeout = 0.1  # type: ignore[attr-defined]


def _ends_at_once(scripted: ScriptedEngine, said: bytes = b"") -> Callable[[Asked], Reply]:
    def start(asked: Asked) -> Reply:
        line = scripted.attached[asked.path.split("/")[2]]
        line.sendall(said)
        line.shutdown(socket.SHUT_RDWR)
        return Reply(status=204)

    return start


IN_PROGRESS = refusal(409, "removal of container c1 is already in progress")
GONE = refusal(404, "no such container")


@pytest.mark.parametrize(
    ("told", "requests", "removal"),
    [
        ([GONE], 1, Removal.ABSENT),
        ([Reply(status=204)], 1, Removal.DONE),
        ([IN_PROGRESS, GONE], 2, Removal.DONE),
        ([IN_PROGRESS, IN_PROGRESS, Reply(status=204)], 3, Removal.DONE),
    ],
    ids=["gone", "removed", "going", "restarted"],
)
def test_a_container_is_removed_until_there_is_none(
    engine: DockerEngine, scripted: ScriptedEngine, told: list[Reply], requests: int, removal: Removal
) -> None:
    """An operator's restart answers 409 too; a box that it starts again would run on with nobody at its input."""
    scripted.told["DELETE /containers/*"] = told
    assert engine.remove_container("c1") is removal
    assert scripted.names().count("DELETE /containers/c1") == requests


def test_an_engine_that_is_busy_with_it_for_long_is_left_to_the_reaper(
    engine: DockerEngine, scripted: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.backends.docker.engine._REMOVAL_PAUSES_SECONDS", (0.0, 0.0, 0.0))
    scripted.told["DELETE /containers/*"] = IN_PROGRESS
    assert engine.remove_container("c1") is Removal.BUSY
    assert scripted.names().count("DELETE /containers/c1") == 4


def test_an_image_that_breaks_off_while_it_is_exported_is_a_fault_and_its_container_goes(
    engine: DockerEngine, scripted: ScriptedEngine
) -> None:
    scripted.told["GET /containers/*/export"] = Reply(b"x" * 100_000, cut=50_000)
    with pytest.raises(ImageEngineError, match="would not export an image"):
        list(engine.export(NAME))
    assert scripted.containers == {}


def test_an_export_that_nobody_reads_to_its_end_leaves_no_container(
    engine: DockerEngine, scripted: ScriptedEngine
) -> None:
    scripted.told["GET /containers/*/export"] = Reply(b"x" * 100)
    pieces = engine.export(NAME)
    assert next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    assert scripted.containers == {}


def test_an_image_is_saved_whole_or_it_is_a_fault(engine: DockerEngine, scripted: ScriptedEngine) -> None:
    scripted.told["GET /images/*/get"] = Reply(b"x" * 100_000)
    assert b"".join(engine.save(NAME)) == b"x" * 100_000
    scripted.told["GET /images/*/get"] = Reply(b"x" * 100_000, cut=50_000)
    with pytest.raises(ImageEngineError, match="would not save an image"):
        list(engine.save(NAME))


@pytest.mark.parametrize("name", ["pull", "load"])
@pytest.mark.parametrize(
    "line", [b'{"error": "toomanyrequests: slow down"}\n', b'{"status": "x"}{"error": '], ids=["error", "half"]
)
def test_an_error_in_a_stream_that_began_well_is_an_error(
    engine: DockerEngine, scripted: ScriptedEngine, tmp_path: Path, name: str, line: bytes
) -> None:
    """The engine has said 200 by then."""
    scripted.told["POST /images/*"] = Reply(line)
    (tmp_path / "archive").write_bytes(b"tar")
    with pytest.raises(ImageEngineError, match=r"would not (pull|load)"):
        engine.pull(NAME, 5) if name == "pull" else engine.load(tmp_path / "archive")


def test_an_archive_that_is_not_there_is_a_fault_too(engine: DockerEngine, tmp_path: Path) -> None:
    with pytest.raises(ImageEngineError, match=r"would not load an image: .*No such file"):
        engine.load(tmp_path / "none")


# -- steps of making an image ------------------------------------------------------------------------------------------


def test_a_step_runs_without_rights_and_its_output_is_its_own(engine: DockerEngine, scripted: ScriptedEngine) -> None:
    said = piece(1, b"built") + piece(2, b"warning: old\n") + piece(1, b" it")
    scripted.told["POST /containers/*/start"] = _ends_at_once(scripted, said)
    assert engine.run_once(NAME, ["python3", "-m", "compileall"], b"tar", 5) == b"built it"
    [config] = [asked.json() for asked in scripted.asked if asked.path == "/containers/create"]
    assert config["User"] == "65534:65534"
    assert config["NetworkDisabled"]
    host = config["HostConfig"]
    assert (host["NetworkMode"], host["CapDrop"], host["PidsLimit"]) == ("none", ["ALL"], 64)
    assert host["Memory"] == host["MemorySwap"] == 2 << 30
    assert host["SecurityOpt"] == ["no-new-privileges", f"seccomp={seccomp_profile()}"]
    assert scripted.containers == {}, "it is removed"
    assert [asked.body for asked in scripted.asked if asked.path.endswith("/archive")] == [b"tar"]


def test_a_step_that_fails_says_what_it_said_last_and_its_container_goes(
    engine: DockerEngine, scripted: ScriptedEngine
) -> None:
    said = piece(2, b"x" * 5000 + b"No module named 'compileall'\n")
    scripted.told["POST /containers/*/start"] = _ends_at_once(scripted, said)
    scripted.told["POST /containers/*/wait"] = Reply({"StatusCode": 1})
    with pytest.raises(
        ImageEngineError, match=r"python3 ended with status 1 .*x+No module named 'compileall'$"
    ) as caught:
        engine.run_once(NAME, ["python3"], b"", 5)
    assert len(str(caught.value)) < 2200
    assert scripted.containers == {}


@pytest.mark.parametrize("said", [{}, [], {"StatusCode": None}, {"Error": {"Message": "gone"}}])
def test_a_step_whose_status_nobody_can_tell_has_not_worked(
    engine: DockerEngine, scripted: ScriptedEngine, said: Any
) -> None:
    scripted.told["POST /containers/*/start"] = _ends_at_once(scripted)
    scripted.told["POST /containers/*/wait"] = Reply(said)
    with pytest.raises(ImageEngineError):
        engine.run_once(NAME, ["true"], b"", 5)
    assert scripted.containers == {}


def test_a_step_that_never_ends_is_ended_at_its_deadline(engine: DockerEngine, scripted: ScriptedEngine) -> None:
    with pytest.raises(ImageEngineError, match="took too long"):
        engine.run_once(NAME, ["sleep"], b"", 0.02)
    assert scripted.containers == {}


# -- containers ----------------------------------------------------------------------------------------------------------


def events(*told: tuple[str, str]) -> Raw:
    """As the engine streams them: each a chunk."""
    rows = [{"Action": action, "Actor": {"ID": "c1", "Attributes": {"exitCode": code}}} for action, code in told]
    lines = [json.dumps(row).encode() for row in rows]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(line), line) for line in [*lines, b""])
    return Raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)


@pytest.mark.parametrize(
    ("said", "was_killed"),
    [
        (events(("die", "137")), True),
        (events(("die", "137"), ("destroy", "")), True),
        (events(("oom", ""), ("die", "137")), False),
        (events(("die", "1")), False),
        (events(("die", "143")), False),
        (events(), False),
    ],
    ids=["killed", "and removed", "out of memory", "ended itself", "another signal", "forgotten"],
)
def test_the_engines_events_tell_whether_a_container_was_killed(
    engine: DockerEngine, scripted: ScriptedEngine, said: Raw, was_killed: bool
) -> None:
    scripted.told["GET /events"] = said
    assert engine.was_killed("c1") is was_killed
    [asked] = [one for one in scripted.asked if one.path == "/events"]
    assert json.loads(asked.query["filters"][0]) == {"container": ["c1"], "event": ["oom", "die"]}


@pytest.mark.parametrize("said", [Reply([]), Reply({"Action": "die"}), refusal(500, "no"), HANGS_UP])
def test_an_end_of_which_the_engine_tells_nonsense_is_not_a_kill(
    engine: DockerEngine, scripted: ScriptedEngine, said: Any
) -> None:
    scripted.told["GET /events"] = said
    with suppress(ImageEngineError):
        assert not engine.was_killed("c1")


@pytest.mark.parametrize("said", [{}, [], None, {"Id": None}, {"Id": 7}, {"Warnings": []}])
def test_a_container_without_an_id_is_none(engine: DockerEngine, scripted: ScriptedEngine, said: Any) -> None:
    scripted.told["POST /containers/create"] = Reply(said, 201)
    with pytest.raises(ImageEngineError, match="would not create a container: it answered"):
        engine.create({"Image": NAME, "HostConfig": {}})


def test_podman_is_asked_as_podman_takes_it(scripted: ScriptedEngine) -> None:
    scripted.told["GET /version"] = Reply(PODMAN)
    engine = DockerEngine(scripted.url, timeout_seconds=60)
    assert engine.is_podman
    engine.create({"Image": NAME, "HostConfig": {"Tmpfs": {"/tmp": "size=1m,nr_inodes=5"}}})
    assert scripted.containers["c1"]["HostConfig"]["Tmpfs"] == {"/tmp": "size=1m"}
    engine.close()


@pytest.mark.parametrize(
    ("said", "architecture"), [({"Arch": "arm64"}, "arm64"), ({"Arch": ""}, "unknown"), ({}, "unknown")]
)
def test_an_engine_that_hides_its_architecture_is_not_taken_for_another(
    scripted: ScriptedEngine, said: dict[str, str], architecture: str
) -> None:
    scripted.told["GET /version"] = Reply({"ApiVersion": "1.41", **said})
    engine = DockerEngine(scripted.url, timeout_seconds=60)
    assert engine.architecture() == architecture
    engine.close()


def test_an_attached_stream_goes_both_ways_and_ends_for_both(engine: DockerEngine, scripted: ScriptedEngine) -> None:
    attached = engine.attach("c1", stdin=True)
    far = scripted.attached["c1"]
    attached.raw.sendall(b"in")
    assert far.recv(16) == b"in"
    far.sendall(b"out")
    assert attached.raw.recv(16) == b"out"
    [asked] = [one for one in scripted.asked if one.path.endswith("/attach")]
    assert {name: values[0] for name, values in asked.query.items()} == dict.fromkeys(
        ("stdin", "stdout", "stderr", "stream"), "1"
    )
    attached.close()
    assert far.recv(16) == b"", "the guest sees the end of its input"
    attached.close()


def test_threads_ask_side_by_side(engine: DockerEngine, scripted: ScriptedEngine) -> None:
    """One that waits for an answer keeps nobody else from asking."""
    scripted.told["GET /images/slow/json"] = SILENT
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(engine.find, "slow")
        assert engine.find(NAME) is not None
        assert not slow.done()
        scripted.end_silence()
        assert isinstance(slow.exception(), HostFaultError)
