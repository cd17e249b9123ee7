"""One session in its own process. Requests come over a socket; ``branch`` and ``undo`` work by forking the process.

Before each step the process forks. The child takes the step and is now the session. The parent stays as a *checkpoint*:
it keeps the state before the step and waits on a socket, its *bell*, whose other end the session has.

Undo: the session sends its connection to the zygote over the bell of the latest checkpoint. The checkpoint forks a
clone, which continues as the session. A checkpoint exits when no session has the other end of its bell any more. A
branch inherits the bells of its parent, so both can go back to a step that they share. Threads, sockets and open files
do not survive an undo.
"""

import json
import os
import shutil
import signal
import socket
import tempfile
from typing import Any

from sandbox.guest import cleanup, solution
from sandbox.guest.arguments import ToolArgumentError
from sandbox.guest.call import Package, describe
from sandbox.guest.call_loop import ask_host, receive_parts, send_parts
from sandbox.guest.frames import MAX_REPLY_BYTES
from sandbox.guest.messages import BRANCHED, PART_OF_SAY, REQUEST, SAY
from sandbox.guest.schema import UndescribableToolError
from sandbox.guest.vector import check_vector

_MOST_DESCRIPTORS = 20  # descriptors: an answer's, a connection's, and the bells of older checkpoints (at most 16)
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode


class SessionProcess:
    """Serves one session until its connection to the zygote closes.

    ``folder`` is its work folder, whose name never changes. ``home_process_group`` is the zygote's process group, which
    checkpoints join. A session is ended by killing its own process group, and branches may still need its checkpoints.
    """

    def __init__(
        self, package: Package, line: socket.socket, folder: str, config: dict[str, Any], home_process_group: int
    ) -> None:
        self._package = package
        self._line = line
        self._folder = folder
        self._home_group = home_process_group
        self._undo_depth = int(config["undo_depth"])
        self._rewards = {name: (low, high) for name, (low, high) in config["rewards"].items()}
        self._checkpoints: list[socket.socket] = []
        self._episode: Any = None
        self._branches: list[int] = []
        """Processes of branches that this session has made and not reaped yet."""

    def serve(self) -> None:
        """Answer requests until the zygote hangs up. Never returns."""
        self._enter_folder()
        solution.connect(lambda data: ask_host(self._line, data))
        self._go_on()

    def _go_on(self) -> None:
        while True:
            message = receive_parts(self._line, REQUEST)
            if message is None:
                os._exit(0)
            self._reap_branches()
            request = json.loads(message)
            operation = request["op"]
            if operation == "undo":
                self._undo()
            elif operation == "branch":
                self._branch(int(request["ident"]))
            else:
                leaves_checkpoint = operation == "step" and self._undo_depth > 0 and self._episode is not None
                if leaves_checkpoint and self._leave_checkpoint():
                    continue  # the step was not taken
                reply = self._run(operation, request)
                if leaves_checkpoint and "error" in reply:
                    self._checkpoints.pop().close()  # a failed step leaves nothing to undo
                self._reply(reply)

    # -- the author's code -------------------------------------------------------------------------------------------

    def _run(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        try:
            if operation == "reset":
                self._episode = self._package.new_session()
                value = self._episode.reset(request["task"], request["seed"])
            elif operation == "tool":
                value = self._package.call_tool(request["name"], request["arguments"])
            elif operation == "tools":
                value = self._package.describe_tools()
            elif self._episode is None:
                raise RuntimeError("reset() comes first")
            elif operation == "step":
                value = self._checked(self._episode.step(request["message"]))
            else:
                value = self._episode.state() if hasattr(self._episode, "state") else {}
        except MemoryError:
            return _error("memory", "the session needed more memory than the package asked for")
        except solution.SolutionFaultError as fault:
            return _error(fault.kind, str(fault))
        except (ToolArgumentError, UndescribableToolError) as refused:
            return _error("verifier_failed", str(refused))
        except BaseException as error:  # author's code may raise anything
            return _error("verifier_failed", describe(error))
        return {"value": value}

    def _checked(self, value: Any) -> Any:
        if not isinstance(value, dict) or not isinstance(value.get("messages"), list) or "done" not in value:
            raise TypeError('step() must return {"messages": [...], "done": bool}, and "rewards" where it judges')
        if value.get("rewards") is not None:
            value = {**value, "rewards": check_vector(value["rewards"], self._rewards, "step(), as its rewards,")}
        return value

    def _reply(self, reply: dict[str, Any]) -> None:
        try:
            encoded = _encode(reply).encode()
        except MemoryError:
            encoded = _encode(_error("memory", "the session's answer did not fit into memory")).encode()
        except Exception as error:
            message = f"the session answered with what is not JSON: {error}"
            encoded = _encode(_error("verifier_failed", message)).encode("utf-8", "replace")
        if len(encoded) > MAX_REPLY_BYTES:
            message = f"the reply has {len(encoded)} bytes; {MAX_REPLY_BYTES} are allowed"
            encoded = _encode(_error("output", message)).encode()
        send_parts(self._line, encoded, PART_OF_SAY, SAY)

    # -- forks of this memory ----------------------------------------------------------------------------------------

    def _leave_checkpoint(self) -> bool:
        """Fork. The parent becomes the checkpoint of the state before this step; the child continues.

        Returns True if the step must not be taken. That is so in a clone of the checkpoint, after an undo. It is also
        so if there is no room for another process or copy of the folder; the request is then answered with that error.
        """
        target = f"{self._folder}.{os.getpid()}"
        try:
            snapshot = self._copy_folder(target) if os.listdir(self._folder) else None
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            pid = os.fork()
        except OSError as error:
            cleanup.remove(target)
            self._reply(_error("verifier_failed", f"the state before the step could not be kept: {error!s:.500}"))
            return True
        if pid > 0:
            ours.close()
            self._sleep_as_checkpoint(theirs, snapshot)
            return True
        theirs.close()
        # until the checkpoint says that it waits, it is in this session's process group and would be killed with it
        ours.recv(1)
        self._checkpoints.append(ours)
        if len(self._checkpoints) > self._undo_depth:
            self._checkpoints.pop(0).close()
        return False

    def _sleep_as_checkpoint(self, bell: socket.socket, snapshot: str | None) -> None:
        """Wait for an undo. Returns only in the clone that continues the session; otherwise the process exits.

        SIGCHLD is ignored here, so that the kernel reaps the clones, for which nobody waits. In a session it must not
        be ignored: ``subprocess`` would then report status 0 for every program.
        """
        handler = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        self._line.close()
        for older in self._checkpoints:
            older.close()
        try:
            os.setpgid(0, self._home_group)
        except OSError:  # the author's code has called setsid()
            pass
        bell.send(b"s", socket.MSG_NOSIGNAL)
        while True:
            message, descriptors, _, _ = socket.recv_fds(bell, 4096, _MOST_DESCRIPTORS)
            if not message:
                if snapshot is not None:
                    cleanup.remove(snapshot)
                os._exit(0)
            try:
                clone = os.fork()
            except OSError as error:
                os.write(descriptors[0], str(error).encode())
            else:
                if clone == 0:
                    signal.signal(signal.SIGCHLD, handler if handler is not None else signal.SIG_DFL)
                    bell.close()
                    self._wake_up(json.loads(message), descriptors, snapshot)
                    return
            for descriptor in descriptors:
                os.close(descriptor)

    def _wake_up(self, wanted: dict[str, Any], descriptors: list[int], snapshot: str | None) -> None:
        """Make this clone the session in place of the process that asked for the undo.

        It takes over that process's connection, process group, folder and older checkpoints.

        That process, this checkpoint and its snapshot stay until the folder is restored.
        """
        answer, line, *older = (socket.socket(fileno=descriptor) for descriptor in descriptors)
        try:
            self._line = line
            self._checkpoints = older
            self._folder = wanted["folder"]
            os.setpgid(0, wanted["process_group"])
            self._enter_folder()
            cleanup.wipe(self._folder)
            if snapshot is not None:
                shutil.copytree(snapshot, self._folder, symlinks=True, dirs_exist_ok=True)
        except OSError as error:
            answer.send(str(error).encode())
            os._exit(1)
        answer.send(b"ok")
        answer.close()
        self._reply({"value": {"depth": len(self._checkpoints)}})

    def _undo(self) -> None:
        """Give the connection to the latest checkpoint and exit."""
        if not self._checkpoints:
            self._reply(_error("verifier_failed", "there is no step to undo"))
            return
        *older, checkpoint = self._checkpoints
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        wanted = json.dumps({"folder": self._folder, "process_group": os.getpgrp()}).encode()
        descriptors = [theirs.fileno(), self._line.fileno(), *(other.fileno() for other in older)]
        try:
            socket.send_fds(checkpoint, [wanted], descriptors)
            theirs.close()
            answer = ours.recv(4096)
        except OSError as error:
            answer = str(error).encode()
        if answer == b"ok":
            os._exit(0)
        ours.close()
        reason = answer.decode(errors="replace") or "the state before it is gone"
        self._reply(_error("verifier_failed", f"the step could not be undone: {reason}"))

    def _branch(self, ident: int) -> None:
        """Fork a second session with the same state. Its connection is sent to the zygote."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            child = os.fork()
        except OSError as error:
            self._reply(_error("verifier_failed", f"no further branch: {error}"))
            return
        if child == 0:
            os.setpgid(0, 0)
            self._branches.clear()
            ours.close()
            self._line.close()
            self._line = theirs
            self._folder = self._copy_folder(folder_of(os.path.dirname(self._folder), ident))
            self._enter_folder()
            self._reply({"value": {"depth": len(self._checkpoints)}})
            return
        theirs.close()
        self._branches.append(child)
        socket.send_fds(self._line, [bytes((BRANCHED,)) + str(child).encode()], [ours.fileno()])
        ours.close()

    def _reap_branches(self) -> None:
        """Reap branches that have ended. Other children belong to the author's code, which may wait for them."""
        for pid in self._branches[:]:
            try:
                if os.waitpid(pid, os.WNOHANG)[0] == 0:
                    continue
            except ChildProcessError:  # the author's code has already waited for it, by waiting for any child
                pass
            self._branches.remove(pid)

    def _enter_folder(self) -> None:
        os.chdir(self._folder)
        os.environ["TMPDIR"] = self._folder  # noqa: TID251 -- for the author's code: it cannot write beside its folder
        tempfile.tempdir = None  # cached for the former folder

    def _copy_folder(self, target: str) -> str:
        shutil.copytree(self._folder, target, symlinks=True)
        return target


def folder_of(work_folder: str, ident: int) -> str:
    """The folder of the session with number ``ident``, below the work folder or below its family's folder."""
    return f"{work_folder}/s{ident}"


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"error": {"kind": kind, "message": message}}
