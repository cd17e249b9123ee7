"""``python -s -P local_start.py UID GUEST [read]``: become an unprivileged user for good, then run the guest.

Root starts this. Otherwise one ``kill(-1)`` in a package's code would end every process of the machine, and one
``rmtree`` would delete its files. ``read`` keeps the right to read, for an interpreter in a folder that only root may
enter.
"""

import ctypes
import os
import runpy
import struct
import sys

_PR_SET_KEEPCAPS, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT, _RAISE = 8, 38, 47, 2
_DAC_READ_SEARCH = 2
_VERSION_3 = 0x20080522
_libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Give up root for good: real, effective and saved ids change, and no program can restore them."""
    uid, guest, may_read = int(sys.argv[1]), sys.argv[2], sys.argv[3:] == ["read"]
    if uid <= 0:  # the kernel takes -1 for "no change"
        raise ValueError(f"{uid} is not an unprivileged user")
    os.setgroups([])
    _libc.prctl(_PR_SET_KEEPCAPS, int(may_read), 0, 0, 0)
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    _set_capabilities(1 << _DAC_READ_SEARCH if may_read else 0)
    if may_read:
        _libc.prctl(_PR_CAP_AMBIENT, _RAISE, _DAC_READ_SEARCH, 0, 0)  # for the programs that it starts
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    sys.argv = [guest]
    runpy.run_path(guest, run_name="__main__")


def _set_capabilities(mask: int) -> None:
    """Effective, permitted and inheritable ones: these and no others."""
    header, data = struct.pack("<Ii", _VERSION_3, 0), struct.pack("<6I", mask, mask, mask, 0, 0, 0)
    if _libc.capset(header, data) != 0:
        raise OSError(ctypes.get_errno(), "capset")


main()
