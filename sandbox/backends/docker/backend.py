"""Boxes as locked-down Docker containers, one zygote each, on the container's attached standard streams."""

import asyncio
import contextlib
import functools
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import docker.errors
from cachetools import LRUCache

from sandbox.backends.docker import cgroups, fitness, gvisor
from sandbox.backends.docker.attached import Attached
from sandbox.backends.docker.box_config import WORK_FOLDER, box_config
from sandbox.backends.docker.connection import DockerConnection, StartedBox
from sandbox.backends.docker.daemon_threads import DaemonThreads
from sandbox.backends.docker.engine import DockerEngine, Removal, seccomp_profile
from sandbox.backends.docker.engine_client import no_engine, words_of
from sandbox.backends.docker.forgotten import end_box, end_boxes_of
from sandbox.backends.docker.owners import (
    Owner,
    dead_owners,
    folder_id,
    is_owner_alive,
    make_private,
    remove_sockets_of_the_dead,
    uids_of,
)
from sandbox.backends.docker.reaper import (
    CLAIM,
    EXPIRES,
    LABEL,
    OWNER,
    PACKAGE,
    RESOURCES,
    ROLE,
    ClientHost,
    FoundBox,
    boot_id,
    host_id,
    why_orphan,
)
from sandbox.backends.docker.unix_socket import BoxSocket, SocketFolder
from sandbox.errors import BoxLostError, HostFaultError, ImageMissingError, SandboxUnavailableError
from sandbox.host.background import background
from sandbox.images import layout
from sandbox.images.errors import ImageEngineError
from sandbox.images.image_builder import BuiltImage, ensure_guest_image, ensure_image
from sandbox.images.settings import ImageSettings
from sandbox.interface import BoxLayout, BoxSpec, Connection, Receiver, Source
from sandbox.settings import SandboxSettings

_Result = TypeVar("_Result")
_EXTRA_LIFE_SECONDS = 900  # calls that run at a box's end still end before any reaper takes it for lost
_THREADS = 8  # chosen, not measured: each request to the engine blocks one
_CLOSING_SECONDS = 5.0  # chosen: so long an engine that is stuck holds up the end of a program
_KEPT_IMAGES = 1024  # Number of images whose facts are remembered.


class DockerBackend:
    """Opens boxes on this machine's engine, or on ``docker_url``. Blocking engine calls run in threads of its own."""

    name = "docker"

    def __init__(self, settings: SandboxSettings, images: ImageSettings | None = None) -> None:
        self.engine = DockerEngine(settings.docker_url, settings.docker_timeout_seconds)
        self._settings = settings
        self._image_settings = images or ImageSettings()
        self._threads = DaemonThreads(_THREADS, name="verihub-docker")
        self._owner: Owner | None = None
        self._host_id, self._boot_id = host_id(), boot_id()
        self._images: LRUCache[str, BuiltImage] = LRUCache(_KEPT_IMAGES)
        self._builds: dict[str, asyncio.Task[BuiltImage]] = {}
        """Images that are being requested now."""
        self._calls: set[asyncio.Future[Any]] = set()
        self._stuck_until = 0.0
        self._unremoved: set[str] = set()
        """Boxes of ours that nobody uses any more and that the engine has not removed yet."""
        self._profile = seccomp_profile()
        self._sockets: SocketFolder | None = None
        self._has_sockets = (
            settings.use_sockets and self.engine.is_on_this_machine and not gvisor.is_gvisor(settings.runtime)
        )

    async def open(self, spec: BoxSpec, receiver: Receiver) -> Connection:
        """Create, attach, start. An image that has vanished is built again, once."""
        try:
            started = await self._start_box(spec)
        except _ImageGoneError:
            self._images.pop(_key(spec.source, spec.python), None)
            started = await self._start_box(spec)
        except _NoSocketError:  # the engine does not see this machine's folders: no box of it will have one
            self._has_sockets = False
            started = await self._start_box(spec)
        paths = (layout.PACKAGE_ROOT, layout.DEPENDENCIES_ROOT) if spec.source else ()
        path = started.socket.path_inside if started.socket else ""
        box_layout = BoxLayout(paths, WORK_FOLDER, started.image.digest, path, has_landlock=True)
        try:
            return await DockerConnection.open(started, box_layout, receiver)
        except BaseException:
            started.attached.close()
            background(started.release())
            raise

    async def image_digest(self, source: Source) -> str:
        """What the image is made of; made when it is not there."""
        return (await self._image(source, source.python)).digest

    async def reap(self) -> int:
        """Remove containers whose owner is gone, that are past their time, or from before the last start.

        Those of our own that the engine would not remove when they ended are tried again.
        """
        return len(await self._in_thread(self._reap))

    async def aclose(self) -> None:
        """Close connections to the engine and release the owner's lock. Does not wait for an engine that is stuck."""
        if self._calls and asyncio.get_running_loop().time() >= self._stuck_until:
            await asyncio.wait(self._calls, timeout=_CLOSING_SECONDS)
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.engine.close()
        if self._sockets is not None:
            self._sockets.remove()
        if self._owner is not None:
            self._owner.close()

    async def remove(self, container: str) -> None:
        """Kill and remove a container. If the engine refuses now, a reaper removes it later.

        A stuck engine is waited for once, not once for each box: most boxes end by themselves when their input ends.
        It is asked all the same, for a box that was restarted has no input that could end.
        """
        loop = asyncio.get_running_loop()
        if loop.time() < self._stuck_until:
            background(self._ask_to_remove(container))
            return
        try:
            async with asyncio.timeout(_CLOSING_SECONDS):
                await self._ask_to_remove(container)
        except TimeoutError:  # the next boxes do not wait for this engine in turn
            self._stuck_until = loop.time() + _CLOSING_SECONDS

    async def _ask_to_remove(self, container: str) -> None:
        self._unremoved.add(container)  # also where no thread takes it any more
        with contextlib.suppress(RuntimeError):
            await self._in_thread(functools.partial(self._discard, container))

    async def _in_thread(self, work: Callable[[], _Result]) -> _Result:
        """Run ``work`` to its end, even if its caller is cancelled."""
        call = asyncio.get_running_loop().run_in_executor(self._threads, work)
        self._calls.add(call)
        call.add_done_callback(self._forget_call)
        return await asyncio.shield(call)

    def _forget_call(self, call: "asyncio.Future[Any]") -> None:
        self._calls.discard(call)
        if not call.cancelled():
            call.exception()  # whoever still waits is told by the shield

    def _claim(self) -> Owner:
        if self._owner is None:
            has_few_uids = fitness.maps_users(self.engine.information)
            folder = self._settings.state_folder
            try:
                self._owner = Owner(folder, has_few_uids=has_few_uids)
            except OSError as error:
                raise SandboxUnavailableError(
                    f"the lock of this process's boxes cannot be written: {error.strerror} ({folder}): make room "
                    "there, or set VERIHUB_SANDBOX_STATE_FOLDER to a folder of your own"
                ) from error
        return self._owner

    async def _image(self, source: Source | None, python: str) -> BuiltImage:
        """The box's image, requested once in each process. Several boxes of one release wait for one build."""
        key = _key(source, python)
        if key in self._images:
            return self._images[key]
        build = self._builds.get(key)
        if build is None:
            build = self._builds[key] = asyncio.get_running_loop().create_task(self._make_image(source, python, key))
            # The error is reported to the callers that wait.
            build.add_done_callback(lambda done: done.cancelled() or done.exception())
        return await asyncio.shield(build)

    async def _make_image(self, source: Source | None, python: str, key: str) -> BuiltImage:
        make: Callable[[], BuiltImage]
        if source is None:
            make = functools.partial(ensure_guest_image, self.engine, self._image_settings, python=python)
        else:
            make = functools.partial(ensure_image, source, self.engine, self._image_settings)
        try:
            image = self._images[key] = await self._in_thread(make)
        except OSError as error:
            place = error.filename or self._image_settings.cache_folder
            raise SandboxUnavailableError(
                f"the image of a box cannot be written: {error.strerror} ({place}): make room there, or set "
                "VERIHUB_IMAGES_CACHE_FOLDER to a folder on another disk"
            ) from error
        finally:
            del self._builds[key]
        return image

    async def _start_box(self, spec: BoxSpec) -> StartedBox:
        await self._in_thread(self.engine.check_fitness)
        image = await self._image(spec.source, spec.python)
        owner = self._claim()
        uid = owner.take_uid()
        handover = _Handover()
        box_socket = None
        try:
            box_socket = self._make_socket(owner)
            config = self._config(spec, image.image_id, uid, self._labels(spec, owner))
            if box_socket is not None:
                config["HostConfig"]["Mounts"] = [box_socket.mount]
            container, attached = await self._in_thread(functools.partial(self._start, config, handover))
        except BaseException:
            late = handover.refuse()
            if late is not None:
                late[1].close()
                background(self.remove(late[0]))
            owner.return_uid(uid)
            if box_socket is not None:
                box_socket.close()
            raise

        async def release() -> None:
            await self.remove(container)
            end_box(container)
            owner.return_uid(uid)

        async def was_killed() -> bool:
            return await self._in_thread(functools.partial(self.engine.was_killed, container))

        return StartedBox(image, container, attached, box_socket, release, was_killed)

    def _make_socket(self, owner: Owner) -> BoxSocket | None:
        """A socket for the box, or None when there can be none. The box then uses the container's streams."""
        if not self._has_sockets:
            return None
        try:
            if self._sockets is None:
                self._sockets = SocketFolder(owner.lock_path.with_suffix(".sockets"))
            return self._sockets.make()
        except OSError:  # a path that is too long for a socket, or a folder that cannot be written
            self._has_sockets = False
            return None

    def _start(self, config: dict[str, Any], handover: "_Handover") -> tuple[str, Attached]:
        """Blocking: a running container with its streams attached.

        It is attached before it starts, so nothing is missed. If nobody wants it by the time it runs, it is removed
        again.
        """
        try:
            created = self.engine.create(config)
        except docker.errors.ImageNotFound as error:
            raise _ImageGoneError(str(error)) from None
        except docker.errors.DockerException as error:
            if "Mounts" in config["HostConfig"] and "bind source path does not exist" in str(error):
                raise _NoSocketError(str(error)) from None
            raise BoxLostError(f"the Docker engine would not create a box: {words_of(error)}") from error
        except OSError as error:
            raise no_engine(error) from error
        attached: Attached | None = None
        try:
            attached = self.engine.attach(created, stdin=True)
            self.engine.ask("start a box", lambda api: api.start(created))
        except BaseException:
            if attached is not None:
                attached.close()
            self._discard(created)
            raise
        if not handover.offer(created, attached):
            attached.close()
            self._discard(created)
        return created, attached

    def _discard(self, container: str) -> None:
        """Blocking: remove a container of ours. Where the engine would not, the next reap tries again."""
        self._unremoved.add(container)
        removal = Removal.BUSY
        with contextlib.suppress(HostFaultError):
            removal = self.engine.remove_container(container)
        if removal is not Removal.BUSY:
            self._unremoved.discard(container)

    def _config(self, spec: BoxSpec, image: str, uid: int, labels: dict[str, str]) -> dict[str, Any]:
        can_limit_cpu = fitness.can_limit_cpu(self.engine.information)
        return box_config(
            spec, image, uid, labels, self._profile, can_limit_cpu=can_limit_cpu, runtime=self._settings.runtime
        )

    def _labels(self, spec: BoxSpec, owner: Owner) -> dict[str, str]:
        return {
            LABEL: "1",
            OWNER: str(owner.lock_path),
            CLAIM: owner.claim,
            **self._place(owner.folder_id).labels(),
            ROLE: spec.role.value,
            PACKAGE: spec.source.digest if spec.source else "",
            RESOURCES: spec.resources.digest,
            EXPIRES: str(int(time.time() + spec.resources.lifetime_seconds + _EXTRA_LIFE_SECONDS)),
        }

    def _place(self, folder: str) -> ClientHost:
        return ClientHost(self._host_id, self._boot_id, folder)

    def found_boxes(self) -> list[FoundBox]:
        """Blocking: every container of ours on this engine, whoever owns it."""

        def question(api: Any) -> list[FoundBox]:
            rows = api.containers(all=True, filters={"label": LABEL})
            return [FoundBox(row["Id"], row["State"], float(row["Created"]), row["Labels"] or {}) for row in rows]

        return self.engine.ask("list boxes", question)

    def _reap(self) -> list[str]:
        reaped, absent = [], []
        make_private(self._settings.state_folder)
        remove_sockets_of_the_dead(self._settings.state_folder)
        here = self._place(folder_id(self._settings.state_folder))
        running = cgroups.containers()  # before the engine is asked: what it creates after that is none of these
        unremoved = self._unremoved.copy()
        listed = self.found_boxes()
        for box in listed:
            if box.ident in unremoved or why_orphan(box, now=time.time(), here=here, is_alive=is_owner_alive):
                # One stuck container must not keep the others from being removed.
                with contextlib.suppress(ImageEngineError):
                    removal = self.engine.remove_container(box.ident)
                    if removal is Removal.DONE:
                        reaped.append(box.ident)
                    elif removal is Removal.ABSENT:
                        absent.append(box.ident)
        self._unremoved -= unremoved.difference(box.ident for box in listed).union(reaped, absent)
        forgotten = running.difference(box.ident for box in listed)
        return reaped + self._end_forgotten(forgotten, here.folder_id)

    def _end_forgotten(self, boxes: set[str], folder: str) -> list[str]:
        """Of the containers that the engine does not list, end boxes that we have released and those of dead owners."""
        ended = end_boxes_of(self._owner.unused_uids(), boxes) if self._owner else []
        for lock_path in dead_owners(self._settings.state_folder) if boxes else ():
            ended += end_boxes_of(uids_of(lock_path, folder), boxes)
        return ended


class _Handover:
    """Hands a started container from a thread to a task that may have been cancelled. Exactly one of them closes it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_refused = False
        self._offered: tuple[str, Attached] | None = None

    def offer(self, container: str, attached: Attached) -> bool:
        """In the thread: offer the container. False when nobody takes it."""
        with self._lock:
            self._offered = None if self._is_refused else (container, attached)
            return self._offered is not None

    def refuse(self) -> tuple[str, Attached] | None:
        """In the task: refuse further offers. Returns what was offered already, which the task must close."""
        with self._lock:
            self._is_refused = True
            return self._offered


class _ImageGoneError(ImageMissingError):
    """The engine does not have the image that we built."""


class _NoSocketError(HostFaultError):
    """The engine does not see this machine's folders: it runs elsewhere, or we run in a container."""


def _key(source: Source | None, python: str) -> str:
    if source is None:
        return python
    return source.digest + "".join(sorted(wheel.sha256 for wheel in source.lock))
