"""Finds what a shell script needs of its machine, from its commands and without running it."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

_ENDS = re.compile(r"&&|\|\||;|\||\n|&(?!>)")
_LEADS = {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "(", "exec", "time", "command", "sudo"}
_ASSIGNED = re.compile(r"^\w+=")
_PACKAGE = re.compile(r"^[A-Za-z0-9][\w.+-]*")

HELD_BY_BOXES = frozenset(
    {"bash", "coreutils", "findutils", "diffutils", "grep", "sed", "tar", "gzip", "mawk", "perl", "perl-base"}
    | {"python3", "python3-minimal", "python-is-python3", "util-linux", "debianutils", "base-files", "bsdutils"}
)
"""What a distribution calls that which a box has."""
_FOR_HARNESSES = frozenset(
    {"tmux", "asciinema", "ca-certificates", "curl", "python3-pip", "python3-venv", "python3-setuptools", "locales"}
    | {"apt-utils", "sudo", "tzdata"}
)
"""What images hold so that a harness can drive them, and so that other things can be installed."""
_FOR_TESTS = frozenset({"pytest", "pytest-json-ctrf", "uv", "pip", "setuptools", "wheel"})
"""What tests are run with: the importer brings pytest itself."""
_MACHINE = {
    "git": "runs git", "make": "runs make", "cmake": "runs cmake", "gcc": "compiles C", "g++": "compiles C++",
    "cargo": "runs cargo", "rustup": "installs Rust", "go": "runs go", "npm": "runs npm", "npx": "runs npx",
    "yarn": "runs yarn", "node": "runs Node", "java": "runs Java", "mvn": "runs Maven", "gem": "runs gem",
    "conda": "runs conda", "docker": "runs docker", "systemctl": "starts a service", "service": "starts a service",
    "useradd": "makes users", "adduser": "makes users", "groupadd": "makes users", "usermod": "makes users",
    "su": "changes its user", "gosu": "changes its user", "mount": "mounts a file system", "wget": "fetches (wget)",
    "apk": "installs by apk", "yum": "installs by yum", "dnf": "installs by dnf", "locale-gen": "makes locales",
}  # fmt: skip


@dataclass(frozen=True)
class ScriptNeeds:
    """``installed``: package -> the program that installs it. ``machine``: sentences about what else it does."""

    installed: Mapping[str, str] = field(default_factory=dict)
    machine: tuple[str, ...] = ()


def read_needs(script: str) -> ScriptNeeds:
    """What ``script`` installs beside what boxes have, and what it does that a box cannot."""
    installed: dict[str, str] = {}
    machine: list[str] = []
    for words in _commands(script):
        program = words[0].rpartition("/")[2]
        if program in _INSTALLERS:
            installed.update(dict.fromkeys(_INSTALLERS[program](words[1:]), program))
        elif program in {"python", "python3"} and words[1:3] == ["-m", "pip"]:
            installed.update(dict.fromkeys(_by_pip(words[3:]), "pip"))
        elif program == "curl" and not any("astral.sh/uv" in word for word in words):
            machine.append("fetches (curl)")
        elif program in _MACHINE:
            machine.append(_MACHINE[program])
    return ScriptNeeds(installed, tuple(dict.fromkeys(machine)))


def _commands(script: str) -> Iterator[list[str]]:
    """The words of every simple command, as far as that can be seen without running it."""
    joined = re.sub(r"\\\n", " ", script)
    for line in joined.split("\n"):
        bare = "" if line.lstrip().startswith("#") else line
        for part in _ENDS.split(bare):
            words = _words(part)
            while words and (words[0] in _LEADS or _ASSIGNED.match(words[0])):
                words = words[1:]
            if words:
                yield words


def _words(part: str) -> list[str]:
    try:
        return shlex.split(part, comments=True)
    except ValueError:  # a quote that another part closes
        return part.split()


def _packages(words: list[str], takes: frozenset[str]) -> list[str]:
    """Names among ``words``; options are passed over, with the value of those that take one."""
    found, skipped = [], False
    for word in words:
        if skipped or word.startswith("-"):
            skipped = not skipped and word in takes
            if word in {"-r", "--requirement"}:
                found.append("a list of requirements")
        elif name := _PACKAGE.match(word):
            found.append(re.split(r"[=<>~!\[]", name[0])[0].lower())
    return found


def _by_apt(words: list[str]) -> list[str]:
    if "install" not in words:
        return []
    named = _packages(words[words.index("install") + 1 :], frozenset({"-t", "-o"}))
    return [name for name in named if name not in HELD_BY_BOXES | _FOR_HARNESSES]


def _by_pip(words: list[str]) -> list[str]:
    if "install" not in words:
        return []
    options = frozenset({"-i", "--index-url", "--extra-index-url", "-r", "--requirement", "-c", "--target", "--python"})
    return [name for name in _packages(words[words.index("install") + 1 :], options) if name not in _FOR_TESTS]


def _by_uv(words: list[str]) -> list[str]:
    """``uvx -w PACKAGE``, ``uv run --with PACKAGE``, ``uv add PACKAGE``, ``uv pip install PACKAGE``."""
    if words[:1] == ["pip"]:
        return _by_pip(words[1:])
    pairs = zip(words, [*words[1:], ""], strict=False)
    named = [value for word, value in pairs if word in {"-w", "--with"}]
    named += [word.partition("=")[2] for word in words if word.startswith("--with=")]
    named += words[1:] if words[:1] == ["add"] else []
    return [name for name in _packages(named, frozenset()) if name not in _FOR_TESTS]


_INSTALLERS: dict[str, Callable[[list[str]], list[str]]] = {
    "apt-get": _by_apt,
    "apt": _by_apt,
    "pip": _by_pip,
    "pip3": _by_pip,
    "uv": _by_uv,
    "uvx": _by_uv,
}
