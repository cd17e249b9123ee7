"""Another day and another machine, for code that asks Python: how an audit sees what depends on either.

A verifier that is careful on the day of its audit, or on the hub's machine, is careful in every repeat of it. So the
first run of each case, by which it is measured, is in boxes that say another date, host name, kernel and number of
processors. Nothing tells these boxes by their environment. What Python does not tell is as it is: the times of files,
``/proc``, libraries that ask the system themselves. How long things take (``time.monotonic``) is never changed.
"""

import ctypes
import datetime as dt
import gc
import os
import platform
import socket
import time
from collections.abc import Callable
from typing import Any, NamedTuple


class Elsewhere(NamedTuple):
    """Where and when a box says that it is. ``ahead``: seconds from now."""

    ahead: int
    host: str
    kernel: str
    processors: int


class Told:
    """A function in the place of one that is written in C: as that one it is never bound to an instance.

    ``logging.Formatter.converter = time.localtime`` would hand over the formatter otherwise.
    """

    def __init__(self, module: object, name: str, function: Callable[..., Any]) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = str(vars(module)["__name__"])
        self._function = function
        setattr(module, name, self)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._function(*given, **named)

    def __reduce__(self) -> str:
        return self.__name__


def settle(place: Elsewhere) -> None:
    """Say so from now on. Before the package is imported, so that it cannot keep what was there."""
    _set_clock(place.ahead)
    kept = os.uname()
    told = os.uname_result((kept.sysname, place.host, place.kernel, kept.version, kept.machine))
    Told(os, "uname", lambda: told)
    Told(socket, "gethostname", lambda: place.host)
    for name in ("cpu_count", "process_cpu_count"):
        if hasattr(os, name):
            Told(os, name, lambda: place.processors)
    vars(platform)["_uname_cache"] = None  # of what was there


def _set_clock(ahead: int) -> None:
    now, now_ns = time.time, time.time_ns
    Told(time, "time", lambda: now() + ahead)
    Told(time, "time_ns", lambda: now_ns() + ahead * 10**9)
    for name in ("localtime", "gmtime", "ctime"):
        Told(time, name, _of_now(getattr(time, name)))
    asctime, strftime = time.asctime, time.strftime
    Told(time, "asctime", lambda *given: asctime(*(given or (time.localtime(),))))
    Told(time, "strftime", lambda form, *given: strftime(form, *(given or (time.localtime(),))))
    of_clock, of_clock_ns, real = time.clock_gettime, time.clock_gettime_ns, time.CLOCK_REALTIME
    Told(time, "clock_gettime", lambda clock: of_clock(clock) + ahead * (clock == real))
    Told(time, "clock_gettime_ns", lambda clock: of_clock_ns(clock) + ahead * 10**9 * (clock == real))
    # ``today`` asks ``time.time``; these two ask the system. A subclass would break isinstance and pickle.
    _set_on_type(dt.datetime, "now", lambda kind, tz=None: kind.fromtimestamp(time.time(), tz))
    _set_on_type(dt.datetime, "utcnow", lambda kind: kind.fromtimestamp(time.time(), dt.UTC).replace(tzinfo=None))


def _of_now(function: Callable[..., Any]) -> Callable[..., Any]:
    """For functions that take seconds, and the present where they are given none."""
    return lambda seconds=None: function(time.time() if seconds is None else seconds)


def _set_on_type(kind: type, name: str, function: Callable[..., Any]) -> None:
    """Replace a class method of a type that is written in C, in the one place where all of its users look."""
    members = gc.get_referents(kind.__dict__)[0]
    members[name] = classmethod(function)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
