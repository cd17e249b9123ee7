"""One live episode in its own process: requests come over a socket; ``branch`` and ``undo`` are forks of this memory.

Before each step the process forks: the parent stays behind as a *checkpoint*, asleep on a socket whose other end its
descendants hold. ``undo`` hands a checkpoint the line to the zygote; it forks a clone that goes on from there. A
checkpoint that nobody holds any more sees end of file and exits. Threads, sockets and open files do not survive this.
"""

import json
import os
import shutil
import signal
import socket
from typing import Any

from sandbox.guest import cleaning, solution
from sandbox.guest.arguments import ToolArgumentError
from sandbox.guest.call import Package, describe
from sandbox.guest.frames import MAX_REPLY_BYTES
from sandbox.guest.messages import BORN, PART_OF_SAY, REQUEST, SAY
from sandbox.guest.schema import UndescribableToolError
from sandbox.guest.serving import ask_host, receive_parts, send_parts
from sandbox.guest.vector import check_vector

_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode


class SessionProcess:
    """Serves one session until its line closes. ``folder`` is its work folder, always under the same name."""

    def __init__(self, package: Package, line: socket.socket, folder: str, config: dict[str, Any]) -> None:
        self._package = package
        self._line = line
        self._folder = folder
        self._undo_depth = int(config["undo_depth"])
        self._rewards = {name: (low, high) for name, (low, high) in config["rewards"].items()}
        self._checkpoints: list[socket.socket] = []
        self._episode: Any = None

    def serve(self) -> None:
        """Answer requests until the zygote hangs up. Never returns."""
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # checkpoints' clones are reaped by nobody else
        os.chdir(self._folder)
        solution.connect(lambda data: ask_host(self._line, data))
        self._go_on()

    def _go_on(self) -> None:
        while True:
            message = receive_parts(self._line, REQUEST)
            if message is None:
                os._exit(0)
            request = json.loads(message)
            operation = request["op"]
            if operation == "undo":
                self._undo()
            elif operation == "branch":
                self._branch()
            else:
                leaves_checkpoint = operation == "step" and self._undo_depth > 0 and self._episode is not None
                if leaves_checkpoint:
                    self._leave_checkpoint()
                reply = self._run(operation, request)
                if leaves_checkpoint and "error" in reply:
                    self._checkpoints.pop().close()  # a step that failed is no step, so nothing to undo
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
        except solution.HostFaultError as fault:
            return _error("host", str(fault))
        except (ToolArgumentError, UndescribableToolError) as refused:
            return _error("verifier_failed", str(refused))
        except BaseException as error:  # author's code may raise anything
            return _error("verifier_failed", describe(error))
        return {"value": value}

    def _checked(self, value: Any) -> Any:
        if not isinstance(value, dict) or not isinstance(value.get("messages"), list) or "done" not in value:
            raise TypeError('step() must return {"messages": [...], "done": bool}, and "rewards" where it judges')
        if value.get("rewards") is not None:
            value = {**value, "rewards": check_vector(value["rewards"], self._rewards)}
        return value

    def _reply(self, reply: dict[str, Any]) -> None:
        try:
            encoded = _encode(reply).encode()
        except (TypeError, ValueError, RecursionError) as error:
            encoded = _encode(
                _error("verifier_failed", f"the session answered with what is not JSON: {error}")
            ).encode()
        if len(encoded) > MAX_REPLY_BYTES:
            message = f"the reply has {len(encoded)} bytes; {MAX_REPLY_BYTES} are allowed"
            encoded = _encode(_error("output", message)).encode()
        send_parts(self._line, encoded, PART_OF_SAY, SAY)

    # -- forks of this memory ----------------------------------------------------------------------------------------

    def _leave_checkpoint(self) -> None:
        """Fork; the parent sleeps as the state before this step, the child goes on."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        snapshot = self._copy_folder(f"{self._folder}.{os.getpid()}") if os.listdir(self._folder) else None
        if os.fork() > 0:
            ours.close()
            self._sleep_as_checkpoint(theirs, snapshot)
        theirs.close()
        self._checkpoints.append(ours)
        if len(self._checkpoints) > self._undo_depth:
            self._drop_oldest()
            for checkpoint in self._checkpoints:
                checkpoint.send(b"T")

    def _drop_oldest(self) -> None:
        if self._checkpoints:
            self._checkpoints.pop(0).close()

    def _sleep_as_checkpoint(self, bell: socket.socket, snapshot: str | None) -> None:
        """Wait to be needed again. Returns only in a clone, where the session goes on; else exits."""
        self._line.close()
        while True:
            message, lines, _, _ = socket.recv_fds(bell, 4096, 1)
            if not message:
                if snapshot is not None:
                    cleaning.wipe(snapshot)
                    os.rmdir(snapshot)
                os._exit(0)
            if message == b"T":
                self._drop_oldest()
                continue
            wanted = json.loads(message)
            try:
                clone = os.fork()
            except OSError as error:
                bell.send(str(error).encode())
                for line in lines:
                    os.close(line)
                continue
            if clone == 0:
                self._wake_up(bell, wanted, lines[0], snapshot)
            for line in lines:
                os.close(line)

    def _wake_up(self, bell: socket.socket, wanted: dict[str, Any], line: int, snapshot: str | None) -> None:
        """A clone takes the place of the process that asked for undo: its line, its group, its folder's name.

        That process, and with it the checkpoint and its snapshot, stays until it hears that the folder is restored.
        """
        try:
            self._line = socket.socket(fileno=line)
            self._folder = wanted["folder"]
            os.setpgid(0, wanted["group"])
            os.chdir(self._folder)
            cleaning.wipe(self._folder)
            if snapshot is not None:
                shutil.copytree(snapshot, self._folder, symlinks=True, dirs_exist_ok=True)
        except OSError as error:
            bell.send(str(error).encode())
            os._exit(1)
        bell.send(b"ok")
        bell.close()
        self._reply({"value": {"depth": len(self._checkpoints)}})
        self._go_on()

    def _undo(self) -> None:
        """Hand the line to the latest checkpoint and leave."""
        if not self._checkpoints:
            self._reply(_error("verifier_failed", "there is no step to undo"))
            return
        checkpoint = self._checkpoints[-1]
        wanted = json.dumps({"folder": self._folder, "group": os.getpgrp()}).encode()
        socket.send_fds(checkpoint, [wanted], [self._line.fileno()])
        answer = checkpoint.recv(4096)
        if answer == b"ok":
            os._exit(0)
        self._reply(_error("verifier_failed", f"the step could not be undone: {answer.decode(errors='replace')}"))

    def _branch(self) -> None:
        """Fork a second session that has all of this one's past; its line goes to the zygote."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            child = os.fork()
        except OSError as error:
            self._reply(_error("verifier_failed", f"no further branch: {error}"))
            return
        if child == 0:
            os.setpgid(0, 0)
            ours.close()
            self._line.close()
            self._line = theirs
            self._folder = self._copy_folder(f"{os.path.dirname(self._folder)}/b{os.getpid()}")
            os.chdir(self._folder)
            self._reply({"value": {"depth": len(self._checkpoints)}})
            self._go_on()
        theirs.close()
        socket.send_fds(self._line, [bytes((BORN,)) + str(child).encode()], [ours.fileno()])
        ours.close()

    def _copy_folder(self, target: str) -> str:
        shutil.copytree(self._folder, target, symlinks=True)
        return target


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"error": {"kind": kind, "message": message}}
