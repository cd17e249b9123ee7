"""The times of files on another day, for code that compares them with the clock.

Without this, honest code breaks where a box says another day: a mailbox drops a fresh file as an old one, a log is
rolled over at once, and an output file seems to be older than the program that wrote it.
"""

import os
from collections.abc import Callable
from typing import Any

from sandbox.guest.told import Told, set_on_type

_TIMES = ("st_atime", "st_mtime", "st_ctime")
_FIRST = 7
"""Where whole seconds stand in the tuple that a result of ``os.stat`` is."""
_SETS = (os.supports_fd, os.supports_dir_fd, os.supports_follow_symlinks)


def move(ahead: int) -> None:
    """``os`` and ``pathlib`` say that a file's times are so many seconds later, and set them as much earlier."""
    for name in ("stat", "lstat", "fstat"):
        _replace(name, _looking(getattr(os, name), ahead))
    _replace("utime", _setting(os.utime, ahead))
    look = os.DirEntry.stat

    def stat(entry: Any, *, follow_symlinks: bool = True) -> os.stat_result:
        return _later(look(entry, follow_symlinks=follow_symlinks), ahead)

    set_on_type(os.DirEntry, "stat", stat)


def _replace(name: str, function: Callable[..., Any]) -> None:
    before = getattr(os, name)
    told = Told(os, name, function)
    for able in _SETS:
        if before in able:
            able.add(told)


def _looking(function: Callable[..., os.stat_result], ahead: int) -> Callable[..., os.stat_result]:
    return lambda *given, **named: _later(function(*given, **named), ahead)


def _setting(function: Callable[..., None], ahead: int) -> Callable[..., None]:
    def utime(path: Any, times: Any = None, **named: Any) -> None:
        if isinstance(times, tuple):
            times = tuple(one - ahead for one in times)
        if isinstance(named.get("ns"), tuple):
            named["ns"] = tuple(one - ahead * 10**9 for one in named["ns"])
        function(path, times, **named)

    return utime


def _later(found: os.stat_result, ahead: int) -> os.stat_result:
    """The same result with later times. Numbers with a point are made as C makes them, of whole nanoseconds."""
    reduced: Any = found.__reduce__()
    whole, named = list(found), reduced[1][1]
    for place, name in enumerate(_TIMES, _FIRST):
        nanoseconds = named[f"{name}_ns"] + ahead * 10**9
        seconds, rest = divmod(nanoseconds, 10**9)
        whole[place] = seconds
        named |= {name: seconds + 1e-9 * rest, f"{name}_ns": nanoseconds}
    return os.stat_result(whole, named)
