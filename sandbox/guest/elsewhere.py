"""Another day and another machine, for code that asks Python: how an audit sees what depends on either.

A verifier that is careful on the day of its audit, or on the hub's machine, is careful in every repeat of it. So the
first run of each case, by which it is measured, is in boxes that say another date, host name, kernel and number of
processors. Nothing tells these boxes by their environment. Files are as new as they are (``file_times``). What Python
does not tell is as it is: ``/proc``, libraries that ask the system themselves, programs that the code starts. How long
things take (``time.monotonic``) is never changed.
"""

import datetime as dt
import os
import platform
import posix
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from sandbox.guest import file_times, host_names
from sandbox.guest.told import Told, set_on_type

_CALENDARS = frozenset({time.CLOCK_REALTIME, time.CLOCK_TAI, 5, 8})
"""Clocks of Linux that tell the day. 5 and 8 are CLOCK_REALTIME_COARSE and CLOCK_REALTIME_ALARM."""
_PROCESSORS = ("SC_NPROCESSORS_ONLN", "SC_NPROCESSORS_CONF")
_FROM_TIMESTAMP: Any = vars(dt.datetime)["fromtimestamp"]


class Elsewhere(NamedTuple):
    """Where and when a box says that it is. ``ahead``: seconds from now."""

    ahead: int
    host: str
    kernel: str
    processors: int


def settle(place: Elsewhere) -> None:
    """Say so from now on. Before the package is imported, so that it cannot keep what was there."""
    _set_clock(place.ahead)
    kept = os.uname()
    told = os.uname_result((kept.sysname, place.host, place.kernel, kept.version, kept.machine))
    Told(os, "uname", lambda: told)
    host_names.tell(place.host)
    for name in ("cpu_count", "process_cpu_count"):
        if hasattr(os, name):
            Told(os, name, lambda: place.processors)
    of_system, names = os.sysconf, {*_PROCESSORS, *(os.sysconf_names.get(name) for name in _PROCESSORS)}
    Told(os, "sysconf", lambda name: place.processors if name in names else of_system(name))
    for name in ("uname", "cpu_count", "sysconf"):
        setattr(posix, name, getattr(os, name))
    vars(platform)["_uname_cache"] = None  # of what was there
    file_times.move(place.ahead)


def _set_clock(ahead: int) -> None:
    now, now_ns = time.time, time.time_ns
    Told(time, "time", lambda: now() + ahead)
    Told(time, "time_ns", lambda: now_ns() + ahead * 10**9)
    for name in ("localtime", "gmtime", "ctime"):
        Told(time, name, _of_now(getattr(time, name)))
    asctime, strftime = time.asctime, time.strftime
    Told(time, "asctime", lambda *given: asctime(*(given or (time.localtime(),))))
    Told(time, "strftime", lambda form, *given: strftime(form, *(given or (time.localtime(),))))
    of_clock, of_clock_ns = time.clock_gettime, time.clock_gettime_ns
    Told(time, "clock_gettime", lambda clock: of_clock(clock) + ahead * (clock in _CALENDARS))
    Told(time, "clock_gettime_ns", lambda clock: of_clock_ns(clock) + ahead * 10**9 * (clock in _CALENDARS))
    # ``today`` asks ``time.time``; these two ask the system. A subclass would break isinstance and pickle.
    set_on_type(dt.datetime, "now", classmethod(_now))
    set_on_type(dt.datetime, "utcnow", classmethod(_utcnow))


def _of_now(function: Callable[..., Any]) -> Callable[..., Any]:
    """For functions that take seconds, and the present where they are given none."""
    return lambda seconds=None: function(time.time() if seconds is None else seconds)


def _now(kind: type[dt.datetime], tz: dt.tzinfo | None = None) -> dt.datetime:
    made: dt.datetime = _FROM_TIMESTAMP.__get__(None, kind)(time.time(), tz)  # a subclass's own may ask for ``now``
    return made


def _utcnow(kind: type[dt.datetime]) -> dt.datetime:
    now = dt.datetime.fromtimestamp(time.time(), dt.UTC)
    return kind(now.year, now.month, now.day, now.hour, now.minute, now.second, now.microsecond)
