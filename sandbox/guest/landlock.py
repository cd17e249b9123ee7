"""Landlock: a second fence around the file system and signals, where the kernel has it. Needs no privilege."""

import ctypes
import os
import struct

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_FOLDER_WRITES = (
    (1 << 4) | (1 << 5) | (1 << 7) | (1 << 8) | (1 << 9) | (1 << 10)
)  # remove, make dir, file, socket, fifo
_MAKE_CHAR, _MAKE_BLOCK, _MAKE_SYMLINK = 1 << 6, 1 << 11, 1 << 12
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_BIND_TCP, _CONNECT_TCP = 1, 2
_ABSTRACT_SOCKET, _SIGNAL = 1, 2

_libc = ctypes.CDLL(None, use_errno=True)


def restrict(work_folder: str) -> int:
    """Fence this process and its children: read anywhere, write in ``work_folder`` and to /dev/null, no TCP,
    no signals or abstract sockets out. Returns the kernel's ABI version, 0 where there is none.
    """
    abi = int(_libc.syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG))
    if abi < 1:
        return 0
    handled = _handled_rights(abi)
    fields = [handled]
    if abi >= 4:
        fields.append(_BIND_TCP | _CONNECT_TCP)
    if abi >= 6:
        fields.append(_ABSTRACT_SOCKET | _SIGNAL)
    attributes = struct.pack(f"<{len(fields)}Q", *fields)
    ruleset = int(_libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0))
    if ruleset < 0:
        return 0
    try:
        read = _EXECUTE | _READ_FILE | _READ_DIR
        work = handled & ~(_EXECUTE | _MAKE_CHAR | _MAKE_BLOCK | _IOCTL_DEVICE)
        allowed = _allow(ruleset, "/", read) and _allow(ruleset, work_folder, work)
        allowed = allowed and _allow(ruleset, "/dev/null", handled & (_READ_FILE | _WRITE_FILE | _TRUNCATE))
        _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if not allowed or int(_libc.syscall(_RESTRICT_SELF, ruleset, 0)) != 0:
            return 0
    finally:
        os.close(ruleset)
    return abi


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
    except OSError:
        return False
    try:
        rule = struct.pack("<Qi", rights, descriptor)
        return int(_libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)) == 0
    finally:
        os.close(descriptor)
