"""The socket by which the box connected to its host is gone, and its folder takes nothing new."""

from collections.abc import Mapping

from sandbox.checks.attacks.attempt import Attempt


def _what_the_socket_allows(info: Mapping[str, object]) -> str:
    refusals = {name: str(info.get(name)) for name in ("connect", "listen", "write")}
    is_shut = info.get("there") == [] and all(word in ("ENOENT", "EROFS", "EACCES") for word in refusals.values())
    return "" if is_shut else f"recorded {dict(info)}"


ATTEMPT = Attempt(
    program="""
import os, socket
folder = "/run/verihub"
info["there"] = os.listdir(folder) if os.path.isdir(folder) else []
def connect():
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(folder + "/line")
def listen():
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(folder + "/other")
attempt("connect", connect)
attempt("listen", listen)
attempt("write", open, folder + "/file", "w")
""",
    is_safe=lambda v: v.error.message if v.error else _what_the_socket_allows(v.info),
)
