"""Which files of a project folder go into its wheel. Links are refused, and so is what looks like a secret."""

import fnmatch
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from pathspec import GitIgnoreSpec

from schemas.wheels.archive import CEILING

# What editors, Python and version control leave behind; never part of a package.
_LEFT_OUT_FOLDERS = {
    "__pycache__", ".git", ".hg", ".svn", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".ipynb_checkpoints", ".venv",
}  # fmt: skip
_LEFT_OUT_FILES = ("*.pyc", "*.pyo", ".DS_Store")
_SECRET_NAMES = (
    "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "credentials*", "secret.*", "secrets.*", "_netrc", "htpasswd",
    "service-account*.json", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
)  # fmt: skip
_PRIVATE_KEY = re.compile(rb"-----BEGIN [A-Z ]{0,20}PRIVATE KEY( BLOCK)?-----")


class ProjectFileError(Exception):
    """Files that must not be packed; ``faults`` has one sentence for each."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


def read_package_files(project: Path, package: Path, allowed: Sequence[str] = ()) -> dict[str, bytes]:
    """Path inside ``package`` -> content, sorted, of every file that belongs into the wheel.

    Left out: what ``.gitignore`` names, and caches. ``allowed`` are paths inside ``package`` that are packed although
    their names look like secrets. Links are never packed, because their targets are not part of the project.

    Raises:
        ProjectFileError: with one sentence for each link, secret, special file and file that is too large.

    """
    faults = [] if is_plain(project, package) else [f"{_shown(project, package)} is a link, or lies behind one"]
    found: dict[str, bytes] = {}
    total = 0
    ignored = _ignored(project)
    if not faults and ignored.holds(package, is_folder=True):
        faults.append(f"{_shown(project, package)} is left out by .gitignore, so nothing of it would be packed")
    for path in _walk(package, ignored, faults, project) if not faults else ():
        name = path.relative_to(package).as_posix()
        size = path.stat().st_size
        total += size
        if size > CEILING.file_bytes or total > CEILING.total_bytes:
            faults.append(f"{_shown(project, path)} is too large: {size} bytes")
            break
        content = path.read_bytes()
        if name not in allowed and (why := _why_secret(name, content)):
            faults.append(
                f"{_shown(project, path)} {why}: it would be public. Remove it, name it in .gitignore, or allow it in "
                f'verihub.toml: allow_files = ["{name}"]'
            )
        found[name] = content
    if faults:
        raise ProjectFileError(faults)
    return dict(sorted(found.items()))


def is_plain(project: Path, path: Path) -> bool:
    """Whether ``path`` lies inside ``project`` without a link on the way."""
    whole = Path(os.path.normpath(path))
    return whole.is_relative_to(project) and project.resolve() / whole.relative_to(project) == whole.resolve()


def _walk(folder: Path, ignored: "_Ignored", faults: list[str], project: Path) -> Iterator[Path]:
    """Regular files, folder by folder. What is neither file nor folder is a fault."""
    for entry in sorted(os.scandir(folder), key=lambda item: item.name):
        path = Path(entry.path)
        is_folder = entry.is_dir(follow_symlinks=False)
        if ignored.holds(path, is_folder=is_folder) or _is_left_over(entry.name, is_folder=is_folder):
            continue
        if entry.is_symlink():
            faults.append(f"{_shown(project, path)} is a link: put a copy of the file there, or remove it")
        elif is_folder:
            yield from _walk(path, ignored, faults, project)
        elif stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
            yield path
        else:
            faults.append(f"{_shown(project, path)} is not a regular file: remove it")


def _is_left_over(name: str, *, is_folder: bool) -> bool:
    if is_folder:
        return name in _LEFT_OUT_FOLDERS
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in _LEFT_OUT_FILES)


def _why_secret(name: str, content: bytes) -> str:
    parts = PurePosixPath(name.lower()).parts
    if any(part.startswith(".") for part in parts):
        return "is hidden (its name begins with a dot)"
    if any(fnmatch.fnmatchcase(parts[-1], pattern) for pattern in _SECRET_NAMES):
        return "has the name of a secret"
    return "holds a private key" if _PRIVATE_KEY.search(content) else ""


class _Ignored:
    """The patterns of one ``.gitignore``. Paths are relative to its folder."""

    def __init__(self, folder: Path, lines: Sequence[str]) -> None:
        self._folder = folder
        self._spec = GitIgnoreSpec.from_lines(lines)

    def holds(self, path: Path, *, is_folder: bool) -> bool:
        shown = path.relative_to(self._folder).as_posix()
        return self._spec.match_file(f"{shown}/" if is_folder else shown)


def _ignored(project: Path) -> _Ignored:
    """The nearest ``.gitignore`` at or above the project, no higher than its repository.

    One that ignores the project as a whole, such as a folder of builds, does not apply to the files in it, because the
    user explicitly packs them.
    """
    for folder in [project, *project.parents]:
        file = folder / ".gitignore"
        if file.is_file():
            found = _Ignored(folder, file.read_text(encoding="utf-8", errors="replace").splitlines())
            return _Ignored(project, []) if folder != project and found.holds(project, is_folder=True) else found
        if (folder / ".git").exists():
            break
    return _Ignored(project, [])


def _shown(project: Path, path: Path) -> str:
    return path.relative_to(project).as_posix() if path.is_relative_to(project) else str(path)
