"""Reads from a Dockerfile what a box needs for a Harbor task: files, variables, a folder, commands."""

import fnmatch
import json
import posixpath
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hub_client.imports.dockerfile import Instruction, read_dockerfile
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.harbor_folder import LARGEST_TASK, MOST_FILES, TaskFile
from hub_client.imports.shell_needs import ScriptNeeds, read_needs

_BASES = re.compile(
    r"(?:[\w.:-]+/)*(?:python|ubuntu|debian|buildpack-deps|python-3-\d+|ubuntu-\d\d-\d\d)(?::[\w.-]+)?(?:@\S+)?",
    re.ASCII,
)
"""Base images that have no more than a box: Python, bash and the usual small programs."""
_NO_SERVICE = re.compile(r"^(?:\[\s*)?[\"']?(?:/bin/)?(?:bash|sh|sleep|tail|python3?|true)\b")
_PASSED_OVER = {"LABEL", "USER", "EXPOSE", "STOPSIGNAL", "MAINTAINER", "VOLUME"}
_LONGEST_VALUE = 4000
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


@dataclass
class Image:
    """``files`` lie at absolute paths. ``commands`` are to be run once, in their order, before anything else."""

    workdir: str = "/"
    env: dict[str, str] = field(default_factory=dict)
    files: dict[str, TaskFile] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    needs: list[ScriptNeeds] = field(default_factory=list)


def read_image(dockerfile: str, context: Mapping[str, TaskFile]) -> Image:
    """The image that ``dockerfile`` makes of the files in ``context``.

    Raises :class:`ImportRefusedError` with the instruction that a box cannot follow.
    """
    image = Image()
    instructions = read_dockerfile(dockerfile)
    bases = [each for each in instructions if each.name == "FROM"]
    if len(bases) != 1:
        raise ImportRefusedError("its Dockerfile builds in several stages" if bases else "its Dockerfile has no FROM")
    for each in instructions:
        _follow(image, each, context)
    return image


def _follow(image: Image, each: Instruction, context: Mapping[str, TaskFile]) -> None:
    match each.name:
        case "FROM":
            _check_base(each.rest)
        case "WORKDIR":
            image.workdir = posixpath.normpath(
                posixpath.join(image.workdir, _filled(each.rest.strip("\"'"), image.env))
            )
        case "ENV":
            image.env.update(_variables(each.rest, image.env))
        case "ARG":
            name, _, value = each.rest.partition("=")
            image.env.setdefault(name.strip(), value.strip("\"' "))
        case "COPY" | "ADD":
            _copy(image, each, context)
        case "RUN":
            needs = read_needs(each.rest)
            image.needs.append(needs)
            image.commands.append(each.rest)
        case "CMD" | "ENTRYPOINT":
            if not _NO_SERVICE.match(each.rest):
                raise ImportRefusedError(f"its container runs a program of its own: {each.name} {each.rest[:60]}")
        case name if name not in _PASSED_OVER:
            raise ImportRefusedError(f"its Dockerfile has {name}")


def _check_base(rest: str) -> None:
    named = next((word for word in rest.split() if not word.startswith("--")), "")
    if not _BASES.fullmatch(named):
        raise ImportRefusedError(f"its image is {named}, and a box has Python, bash and the usual small programs")


def _variables(rest: str, known: Mapping[str, str]) -> dict[str, str]:
    try:
        words = shlex.split(rest)
    except ValueError:
        raise ImportRefusedError(f"its Dockerfile has an ENV that cannot be read: {rest[:60]}") from None
    if words and "=" not in words[0]:  # ENV NAME the whole rest
        name, _, value = rest.partition(" ")
        return {name: _filled(value.strip(), known)}
    return {name: _filled(value, known) for name, _, value in (word.partition("=") for word in words)}


def _filled(text: str, known: Mapping[str, str]) -> str:
    """``text`` with its variables, as the build would fill them in.

    Raises :class:`ImportRefusedError` for what grows too long: a dozen lines, each of ten variables, are a terabyte.
    """
    size = 0

    def value(found: re.Match[str]) -> str:
        nonlocal size
        filled = known.get(found[1] or found[2], "")
        size += len(filled)
        if size > _LONGEST_VALUE:
            raise ImportRefusedError(f"its Dockerfile has a variable of over {_LONGEST_VALUE} characters")
        return filled

    return _VARIABLE.sub(value, text)


def _copy(image: Image, each: Instruction, context: Mapping[str, TaskFile]) -> None:
    """Put the files of the context where the instruction says."""
    words = _copied_words(each)
    *sources, target = [_filled(word, image.env) for word in words]
    place = posixpath.normpath(posixpath.join(image.workdir, target))
    into = target.endswith("/") or target in {".", "./"} or len(sources) > 1
    for source in sources:
        if "://" in source or (each.name == "ADD" and re.search(r"\.(?:tar|tgz|zip|gz|xz|bz2)\b", source)):
            raise ImportRefusedError(f"its Dockerfile adds {source}: it fetches, or unpacks an archive")
        found = _chosen(source, context)
        if not found:
            raise ImportRefusedError(f"its Dockerfile copies {source}, which is not in the folder")
        single = set(found) == {_plain(source)}
        for path, inside in found.items():
            goes = place if single and not into and not _is_folder(place, image) else posixpath.join(place, inside)
            image.files[posixpath.normpath(goes)] = context[path]
        if sum(len(file.data) for file in image.files.values()) > LARGEST_TASK or len(image.files) > MOST_FILES:
            raise ImportRefusedError(f"its image has over {LARGEST_TASK >> 20} MB, or over {MOST_FILES} files")


def _copied_words(each: Instruction) -> list[str]:
    if each.rest.startswith("["):
        try:
            words = [str(word) for word in json.loads(each.rest)]
        except (ValueError, RecursionError):
            words = []
    else:
        words = each.rest.split()
    if any(word.startswith("--from") for word in words):
        raise ImportRefusedError("its Dockerfile copies from another image")
    words = [word for word in words if not word.startswith("--")]
    if len(words) < 2:
        raise ImportRefusedError(f"its Dockerfile has a {each.name} that cannot be read: {each.rest[:60]}")
    return words


def _chosen(source: str, context: Mapping[str, TaskFile]) -> dict[str, str]:
    """Path in the context -> path below the target."""
    plain = _plain(source)
    if plain == ".":
        return {path: path for path in context if path not in {"Dockerfile", ".dockerignore"}}
    if plain in context:
        return {plain: posixpath.basename(plain)}
    below = {path: path[len(plain) + 1 :] for path in context if path.startswith(f"{plain}/")}
    if below or not re.search(r"[*?\[]", plain):
        return below
    return {path: posixpath.basename(path) for path in context if fnmatch.fnmatchcase(path, plain)}


def _plain(source: str) -> str:
    """As the paths of the context are. What leads out of it is not in it."""
    return posixpath.normpath(source.lstrip("/") or ".")


def _is_folder(place: str, image: Image) -> bool:
    return place == image.workdir or any(path.startswith(f"{place}/") for path in image.files)


def unmet(needs: Sequence[ScriptNeeds], what: str, texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """(reasons why a box will not do, packages that are left out because none of ``texts`` names them).

    ``what`` asks: "its image". A program or library that is installed and named nowhere is one that nobody misses.
    """
    reasons = [f"{what} {sentence}" for each in needs for sentence in each.machine]
    named: dict[str, list[str]] = {}
    left_out: list[str] = []
    for each in needs:
        for package, program in each.installed.items():
            if any(_names(package, text) for text in texts):
                named.setdefault(program, []).append(package)
            else:
                left_out.append(package)
    reasons += [f"{what} installs {', '.join(dict.fromkeys(found))} ({program})" for program, found in named.items()]
    return reasons, list(dict.fromkeys(left_out))


_IMPORTED_AS = {
    "pyyaml": "yaml", "scikit-learn": "sklearn", "opencv-python": "cv2", "beautifulsoup4": "bs4", "pillow": "PIL",
    "python-dateutil": "dateutil", "pycryptodome": "Crypto", "build-essential": "gcc", "golang": "go", "nodejs": "node",
    "r-base": "Rscript", "openjdk": "java", "default-jdk": "java", "procps": "ps", "net-tools": "netstat",
    "iproute2": "ip", "netcat-openbsd": "nc", "sqlite3": "sqlite", "gawk": "awk", "imagemagick": "convert",
}  # fmt: skip
"""What a package is called where it is used."""


def _names(package: str, text: str) -> bool:
    words = {package, package.replace("-", "_"), package.removeprefix("python3-"), package.removeprefix("python-")}
    words |= {_IMPORTED_AS[package]} if package in _IMPORTED_AS else set()
    return any(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE) for word in words)
