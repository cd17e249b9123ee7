"""What stays of a root file system: no setuid bits, packaging tools or manuals, nothing that says when it was made."""

import posixpath
import tarfile
import time

# Folders and files that a box never needs; each is also less for hostile code to work with.
_DROPPED_FOLDERS = (
    "boot", "home", "media", "mnt", "root", "srv", "run", "dev", "proc", "sys",
    "etc/apt", "etc/cron.d", "etc/cron.daily", "etc/dpkg", "etc/init.d", "etc/logrotate.d", "etc/pam.d", "etc/perl",
    "etc/rc0.d", "etc/rc1.d", "etc/rc2.d", "etc/rc3.d", "etc/rc4.d", "etc/rc5.d", "etc/rc6.d", "etc/rcS.d",
    "etc/security", "etc/skel", "etc/systemd", "lib/systemd", "lib/udev", "usr/games", "usr/include",
    "usr/lib/apt", "usr/lib/dpkg", "usr/lib/init", "usr/lib/lsb", "usr/lib/systemd", "usr/lib/udev",
    "usr/local/include", "usr/local/share", "usr/local/src", "usr/sbin", "usr/src",
    "usr/share/bash-completion", "usr/share/bug", "usr/share/common-licenses", "usr/share/debconf",
    "usr/share/doc", "usr/share/doc-base", "usr/share/dpkg", "usr/share/info", "usr/share/lintian", "usr/share/locale",
    "usr/share/man", "usr/share/menu", "usr/share/pam", "usr/share/pam-configs", "usr/share/perl5", "usr/share/pixmaps",
    "usr/share/polkit-1", "var",
)  # fmt: skip
_DROPPED_PROGRAM_FAMILIES = (
    "apt-",
    "dpkg",
    "perl",
    "pip",
    "idle",
    "pydoc",
    "2to3",
    "deb-systemd",
    "debconf",
    "py3",
    "pygettext",
)
_DROPPED_PROGRAMS = frozenset(
    {"apt", "su", "passwd", "chsh", "chfn", "newgrp", "gpasswd", "mount", "umount", "expiry", "chage", "nsenter",
     "unshare", "setpriv", "gpg", "login", "wall", "dmesg", "newusers", "sg"}
)  # fmt: skip
_DROPPED_FILES = frozenset(
    {"etc/shadow", "etc/shadow-", "etc/gshadow", "etc/gshadow-", "etc/passwd-", "etc/group-", "etc/machine-id",
     "etc/hostname", "etc/resolv.conf", "etc/mtab", "etc/ld.so.cache-", ".dockerenv"}
)  # fmt: skip
_DROPPED_MODULES = frozenset(
    {"idlelib", "lib2to3", "turtledemo", "ensurepip", "pydoc_data", "tkinter", "test", "site-packages", "__pycache__"}
)
_MADE_FOLDERS = ("tmp", "work", "proc", "sys", "dev", "run", "etc", "var", "var/tmp", "root", "home")
_DAY = 86_400


class BaseFilter:
    """Copies a root file system from tar to tar, without what a box must not or need not have."""

    def __init__(self) -> None:
        self._kept: set[str] = set()
        # Package files keep their own old times; files that this build wrote get time 0, so that two builds give the
        # same bytes.
        self._newest = time.time() - _DAY

    def copy(self, source: tarfile.TarFile, target: tarfile.TarFile) -> None:
        """Copy every entry that stays."""
        for name in _MADE_FOLDERS:
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            self._kept.add(name)
            target.addfile(folder)
        for entry in source:
            name = _plain(entry.name)
            if not name or name in self._kept or not self._stays(name, entry):
                continue
            self._kept.add(name)
            content = source.extractfile(entry) if entry.isreg() else None
            target.addfile(self._cleaned(name, entry), content)

    def _stays(self, name: str, entry: tarfile.TarInfo) -> bool:
        if not (entry.isreg() or entry.isdir() or entry.issym() or entry.islnk()):
            return False  # devices and pipes: the engine makes what a box may have
        if name in _DROPPED_FILES or name.startswith("etc/rc"):
            return False
        if entry.islnk() and _plain(entry.linkname) not in self._kept:
            return False
        if any(name == folder or name.startswith(folder + "/") for folder in _DROPPED_FOLDERS):
            return False
        parts = name.split("/")
        if any(part in {"perl", "perl5", "perl-base"} for part in parts):
            return False
        if parts[-2:-1] == ["bin"] and (
            parts[-1] in _DROPPED_PROGRAMS or parts[-1].startswith(_DROPPED_PROGRAM_FAMILIES)
        ):
            return False
        return not (_is_python_library(parts) and _DROPPED_MODULES.intersection(parts))

    def _cleaned(self, name: str, entry: tarfile.TarInfo) -> tarfile.TarInfo:
        """The same entry without owner, special bits, extended attributes and fresh times."""
        clean = tarfile.TarInfo(name)
        clean.linkname, clean.size = entry.linkname, entry.size
        clean.type = tarfile.REGTYPE if entry.isreg() else entry.type  # a sparse file is written out
        if entry.islnk():
            clean.linkname = _plain(entry.linkname)
        clean.mode = entry.mode & 0o755 | (0o600 if entry.isreg() else 0o700)
        clean.mtime = int(entry.mtime) if entry.isreg() and entry.mtime < self._newest else 0
        return clean


def _plain(name: str) -> str:
    """A path in the root file system as it is looked up: however it is spelled, and never above the root."""
    return posixpath.normpath(f"/{name}").strip("/")


def _is_python_library(parts: list[str]) -> bool:
    below = parts[2:] if parts[:2] == ["usr", "lib"] else parts[3:] if parts[:3] == ["usr", "local", "lib"] else []
    return bool(below) and below[0].startswith("python3")
