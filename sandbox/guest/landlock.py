"""Landlock: a further restriction of file access and signals, where the kernel has it.

Needs no privilege.
"""

import ctypes
import os
import stat
import struct

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
# of <linux/landlock.h> and <linux/prctl.h>: Python does not name them
_VERSION_FLAG = 1
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_FOLDER_WRITES = (
    (1 << 4) | (1 << 5) | (1 << 7) | (1 << 8) | (1 << 9) | (1 << 10)
)  # remove, make dir, file, socket, fifo
_MAKE_CHAR, _MAKE_BLOCK, _MAKE_SYMLINK = 1 << 6, 1 << 11, 1 << 12
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
_BIND_TCP, _CONNECT_TCP = 1, 2
_ABSTRACT_SOCKET, _SIGNAL = 1, 2

_libc = ctypes.CDLL(None, use_errno=True)


def restrict(work_folder: str) -> int:
    """Restrict this process and its children.

    They may read everywhere and write in ``work_folder`` and to /dev/null. They can use no TCP, and reach no process
    outside by signals or abstract sockets. Returns the kernel's version of Landlock, 0 if it has none.
    """
    abi = _abi()
    handled = _handled_rights(abi)
    work = handled & ~(_EXECUTE | _MAKE_CHAR | _MAKE_BLOCK | _IOCTL_DEVICE)
    null = handled & (_READ_FILE | _WRITE_FILE | _TRUNCATE)
    rules = [("/", _EXECUTE | _READ_FILE | _READ_DIR), (work_folder, work), ("/dev/null", null)]
    return abi if _enter(abi, rules) else 0


def confine(work_folder: str, own_folder: str) -> bool:
    """Restrict this process further: inside ``work_folder`` it reaches only ``own_folder``.

    It can send signals only to processes with the same restriction. Landlock has rules that allow, none that forbid. So
    a rule allows each folder that is not on the path to ``work_folder``, and the folders on that path can no longer be
    listed. Returns False without Landlock. Raises OSError if the kernel has it and it does not take effect.
    """
    abi = _abi()
    if abi < 1:
        return False
    everything = _handled_rights(abi)
    way = os.path.realpath(work_folder)
    rules = [(own_folder, everything)]
    while way != "/":
        parent, name = os.path.split(way)
        others = [os.path.join(parent, other) for other in os.listdir(parent) if other != name]
        # a link may lead back into work_folder
        rules += [(path, everything) for path in others if not os.path.islink(path)]
        way = parent
    if not _enter(abi, rules):
        raise OSError("the kernel has Landlock, but this process could not be confined by it")
    return True


def _abi() -> int:
    """The kernel's version of Landlock; 0 or less where it has none."""
    return int(_libc.syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG))


def _enter(abi: int, rules: list[tuple[str, int]]) -> bool:
    """Apply ``rules``, pairs of path and rights, to this process for good."""
    if abi < 1:
        return False
    fields = [_handled_rights(abi)]
    if abi >= 4:
        fields.append(_BIND_TCP | _CONNECT_TCP)
    if abi >= 6:
        fields.append(_ABSTRACT_SOCKET | _SIGNAL)
    attributes = struct.pack(f"<{len(fields)}Q", *fields)
    ruleset = int(_libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0))
    if ruleset < 0:
        return False
    try:
        if not all(_allow(ruleset, path, rights) for path, rights in rules):
            return False
        _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        return int(_libc.syscall(_RESTRICT_SELF, ruleset, 0)) == 0
    finally:
        os.close(ruleset)


def _handled_rights(abi: int) -> int:
    handled = _EXECUTE | _WRITE_FILE | _READ_FILE | _READ_DIR | _FOLDER_WRITES
    handled |= _MAKE_CHAR | _MAKE_BLOCK | _MAKE_SYMLINK
    if abi >= 2:
        handled |= _REFER
    if abi >= 3:
        handled |= _TRUNCATE
    if abi >= 5:
        handled |= _IOCTL_DEVICE
    return handled


def _allow(ruleset: int, path: str, rights: int) -> bool:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return True  # removed since it was listed
    except OSError:
        return False
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        rule = struct.pack("<Qi", rights, descriptor)
        return int(_libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)) == 0
    finally:
        os.close(descriptor)
