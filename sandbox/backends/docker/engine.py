"""What is asked of the Docker engine, through docker-py's low-level client: images, and containers."""

import contextlib
import signal
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from enum import Enum
from importlib import resources
from pathlib import Path
from typing import Any

import docker
import docker.errors

from sandbox.backends.docker import podman
from sandbox.backends.docker.attached import Attached, read_all
from sandbox.backends.docker.engine_client import EngineClient
from sandbox.images.engine import ImageRecord
from sandbox.images.errors import ImageEngineError

_REMOVAL_PAUSES_SECONDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_END_SECONDS = 1.0  # chosen: a container whose line has closed has nearly always ended by then
_LOADING_SECONDS = 900.0  # An engine says nothing while it packs or unpacks an image.


class Removal(Enum):
    """What became of a request to remove a container."""

    DONE = "done"
    ABSENT = "absent"
    """There was none. The engine may list it until its next start, as dead or in removal: where somebody restarts a
    container while it is removed, moby notes its last state after it has forgotten it.
    """
    BUSY = "busy"
    """The engine would not remove it now."""


def seccomp_profile() -> str:
    """Our allow-list as the JSON text that the engine takes."""
    return resources.files("sandbox.backends.docker").joinpath("seccomp.json").read_text()


class DockerEngine(EngineClient):
    """Blocking calls, safe from any thread. Every refusal of the engine becomes a host fault with its message."""

    # -- images ------------------------------------------------------------------------------------------------------

    def architecture(self) -> str:
        """As Go spells it: ``amd64``, ``arm64``."""
        return str(self.version.get("Arch") or "unknown")

    @property
    def is_podman(self) -> bool:
        """Whether podman answers at the address."""
        return podman.is_podman(self.version)

    def find(self, reference: str) -> ImageRecord | None:
        """The image behind a tag or an id, or None."""

        def question(api: Any) -> ImageRecord | None:
            try:
                return _record(api.inspect_image(reference))
            except docker.errors.ImageNotFound:
                return None

        return self.ask(f"inspect {reference}", question)

    def labelled(self, labels: Mapping[str, str]) -> list[ImageRecord]:
        """Images that carry all of ``labels``."""
        filters = {"label": [f"{name}={value}" if value else name for name, value in labels.items()]}
        idents = self.ask("list images", lambda api: [row["Id"] for row in api.images(filters=filters)])
        records = [self.find(ident) for ident in idents]
        return [record for record in records if record is not None]

    def load(self, archive: Path) -> None:
        """Load a docker-archive tar; layers that the engine already holds may be missing from it."""

        def question(_: docker.APIClient) -> None:
            client: Any = self.connect(_LOADING_SECONDS)  # partly untyped in docker-py
            with contextlib.closing(client), archive.open("rb") as stream:
                for line in client.load_image(stream, quiet=True) or ():
                    if "error" in line:
                        raise docker.errors.APIError(line["error"])

        self.ask("load an image", question)

    def tag(self, image_id: str, reference: str) -> None:
        """Name an image (again)."""
        repository, _, tag = reference.rpartition(":")
        self.ask("tag an image", lambda api: api.tag(image_id, repository, tag, force=True))

    def pull(self, reference: str, timeout_seconds: float) -> None:
        """Fetch from a registry; gives up when it stays silent for ``timeout_seconds``."""
        repository, _, tag = reference.rpartition(":")

        def question(_: docker.APIClient) -> None:
            client = self.connect(timeout_seconds)
            with contextlib.closing(client):
                for line in client.pull(repository, tag=tag, stream=True, decode=True):
                    if "error" in line:
                        raise docker.errors.APIError(line["error"])

        self.ask(f"pull {reference}", question)

    def export(self, reference: str) -> Iterator[bytes]:
        """The flattened file system of an image, as a tar stream."""
        created = self.ask("create a container", lambda api: str(api.create_container(reference, ["true"])["Id"]))
        try:
            pieces = self.ask("export an image", lambda api: iter(api.export(created)))
            while (piece := self.ask("export an image", lambda _: next(pieces, None))) is not None:
                yield piece
        finally:
            self.remove_container(created)

    def save(self, reference: str) -> Iterator[bytes]:
        """An image with its layers, as a tar stream."""
        client: Any = self.connect(_LOADING_SECONDS)  # partly untyped in docker-py
        with contextlib.closing(client):
            blocks = self.ask("save an image", lambda _: iter(client.get_image(reference)))
            while (block := self.ask("save an image", lambda _: next(blocks, None))) is not None:
                yield block

    def remove(self, reference: str) -> bool:
        """Remove a tag, and with the last tag the image. False when a container still uses it."""

        def question(api: docker.APIClient) -> bool:
            try:
                api.remove_image(reference)
            except docker.errors.ImageNotFound:
                return True
            except docker.errors.APIError as error:
                if error.status_code == 409:
                    return False
                raise
            return True

        return self.ask(f"remove {reference}", question)

    def run_once(self, reference: str, command: list[str], work: bytes, timeout_seconds: float) -> bytes:
        """Run ``command`` in a locked-down container with the tar ``work`` unpacked in /work; its standard output.

        The tar goes into a container that never ran yet, uncompressed: nothing of a stranger unpacks it.
        """
        deadline = time.monotonic() + timeout_seconds
        config = {
            "Image": reference,
            "Cmd": command,
            "User": "65534:65534",
            "WorkingDir": "/work",
            "NetworkDisabled": True,
            "AttachStdout": True,
            "AttachStderr": True,
            "HostConfig": {
                "NetworkMode": "none",
                "CapDrop": ["ALL"],
                "SecurityOpt": ["no-new-privileges", f"seccomp={seccomp_profile()}"],
                "IpcMode": "none",
                "PidsLimit": 64,
                "Memory": 2 << 30,
                "MemorySwap": 2 << 30,
                "LogConfig": {"Type": "none"},
                "Tmpfs": {"/build": "rw,noexec,nosuid,nodev,size=512m,mode=1777"},  # all that a step can write to
            },
        }
        created = self.ask("create a container", lambda _: self.create(config))
        try:
            self.ask("fill a container", lambda api: api.put_archive(created, "/work", work))
            attached = self.attach(created, stdin=False)
            try:
                self.ask("start a container", lambda api: api.start(created))
                output, words = read_all(attached.raw, deadline)
            finally:
                attached.close()
            status = self.ask("wait for a container", lambda api: api.wait(created)["StatusCode"])
        finally:
            self.remove_container(created)
        if status != 0:
            text = words.decode(errors="replace").strip()[-2000:]
            raise ImageEngineError(f"{command[0]} ended with status {status} while an image was made: {text}")
        return output

    # -- containers --------------------------------------------------------------------------------------------------

    def create(self, config: Mapping[str, Any]) -> str:
        """A container from the engine API's own configuration; docker-py's errors pass through."""
        fit = podman.adapt(config) if self.is_podman else config
        api: Any = self.api  # untyped in docker-py
        created = api.create_container_from_config(fit)
        if not isinstance(created, dict) or not isinstance(created.get("Id"), str):
            raise ImageEngineError(f"the Docker engine would not create a container: it answered {created!r:.100}")
        return str(created["Id"])

    def attach(self, container: str, *, stdin: bool) -> "Attached":
        """The container's standard streams, as one multiplexed socket."""
        parameters = {"stdin": int(stdin), "stdout": 1, "stderr": 1, "stream": 1}
        response = self.ask("attach to a container", lambda api: api.attach_socket(container, parameters))
        return Attached(response)

    def was_killed(self, container: str) -> bool:
        """Whether a SIGKILL ended this container although its own memory limit was kept. Waits shortly for its end.

        Only somebody outside of a container can send its first process that signal. The engine tells a number alone, so
        that one which exits with 137 by itself looks the same. An ``oom`` before the end says that the kernel killed it
        for memory. False too where the engine has forgotten the end: it remembers 256 events of all containers.
        """

        def question(_: docker.APIClient) -> bool:
            client: Any = self.connect()  # partly untyped in docker-py; closed with what it still reads
            with contextlib.closing(client):
                filters = {"container": [container], "event": ["oom", "die"]}
                until = time.time() + _END_SECONDS
                end = next(client.events(since=1, until=until, filters=filters, decode=True), None)
                if end is None or end["Action"] == "oom":
                    return False
                return bool(end["Actor"]["Attributes"].get("exitCode") == str(128 + signal.SIGKILL))

        return self.ask("tell how a container ended", question)

    def remove_container(self, container: str) -> Removal:
        """Kill and remove.

        409 says that the engine is busy with it: it removes it already, or somebody restarts it. So it is asked again
        until it says that there is none; otherwise a restarted box would run on with nobody at its input.
        """

        def question(api: docker.APIClient) -> Removal:
            try:
                api.remove_container(container, force=True, v=True)
            except docker.errors.APIError as error:
                if error.status_code not in (404, 409):
                    raise
                return Removal.ABSENT if error.status_code == 404 else Removal.BUSY
            return Removal.DONE

        found = self.ask("remove a container", question)
        if found is not Removal.BUSY:
            return found
        for pause in _REMOVAL_PAUSES_SECONDS:
            time.sleep(pause)
            if self.ask("remove a container", question) is not Removal.BUSY:
                return Removal.DONE
        return Removal.BUSY


def _record(found: Mapping[str, Any]) -> ImageRecord:
    used = (found.get("Metadata") or {}).get("LastTagTime") or ""
    return ImageRecord(
        image_id=found["Id"],
        references=tuple(podman.plain_name(name) for name in found.get("RepoTags") or ()),
        labels=dict((found.get("Config") or {}).get("Labels") or {}),
        layers=tuple((found.get("RootFS") or {}).get("Layers") or ()),
        size_bytes=int(found.get("Size") or 0),
        used_at=_moment(used),
    )


def _moment(text: str) -> datetime | None:
    """The engine's RFC 3339 time (nanoseconds cut), None for the zero time."""
    if not text or text.startswith("0001"):
        return None
    return datetime.fromisoformat(text[:19]).replace(tzinfo=UTC)
