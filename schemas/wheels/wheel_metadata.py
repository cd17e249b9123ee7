"""What a wheel says about itself: METADATA, WHEEL and RECORD in its .dist-info folder."""

import base64
import csv
import hashlib
import re
from dataclasses import dataclass
from email.parser import HeaderParser

from packaging.metadata import InvalidMetadata, Metadata
from packaging.utils import canonicalize_name

from schemas.names import InvalidNameError, canonical_version
from schemas.package import ProjectLink
from schemas.wheels.box_python import NoBoxPythonError, choose_box_python
from schemas.wheels.project_facts import read_authors, read_links
from schemas.wheels.requirements import check_dependency
from schemas.wheels.wheel_error import ProblemList

TAG = "py3-none-any"
_RECORD_ALGORITHMS = {"sha256", "sha384", "sha512"}
_DIST_INFO_MEMBER = re.compile(
    r"METADATA|WHEEL|RECORD|top_level\.txt|(?:licenses|license_files|sboms)/.+|(?:LICEN[CS]E|COPYING|NOTICE|AUTHORS)[^/]*"
)
_MAX_METADATA_BYTES = 2**20  # chosen: nearly all of it is the README
_MOST_QUOTED = 300
_WHEEL_FIELDS = ("Wheel-Version", "Root-Is-Purelib", "Tag")
_WHEEL_VERSION = re.compile(r"1\.\d{1,4}")
# The names of packaging's fields, as they are called in pyproject.toml.
_FIELD_HELP = {
    "license-expression": 'write an SPDX expression under [project] in pyproject.toml: license = "Apache-2.0"',
    "requires-dist": "correct dependencies under [project] in pyproject.toml",
    "requires-python": "correct requires-python under [project] in pyproject.toml",
}


@dataclass(frozen=True)
class WheelMetadata:
    """The part of METADATA that the hub uses. ``licence`` is an SPDX expression, ``dependencies`` are PEP 508 texts."""

    name: str
    version: str
    summary: str
    licence: str
    requires_python: str
    dependencies: tuple[str, ...]
    readme: str
    authors: tuple[str, ...] = ()
    links: tuple[ProjectLink, ...] = ()

    @property
    def box_python(self) -> str:
        """The Python of the package's boxes, such as ``3.11``."""
        return choose_box_python(self.requires_python)


def read_metadata(data: bytes, where: str, problems: ProblemList) -> WheelMetadata | None:
    """Parse METADATA. Faults are added to ``problems``; the result is then None."""
    parsed = _parse(data, where, problems)
    if parsed is None:
        return None
    version = ""
    try:
        version = canonical_version(str(parsed.version))
    except InvalidNameError as error:
        problems.add(where, str(error))
    if not parsed.license_expression:
        problems.add(where, f"the licence is missing: {_FIELD_HELP['license-expression']}")
    if not parsed.summary:
        problems.add(where, 'the summary is missing: write description = "one line" under [project] in pyproject.toml')
    try:
        choose_box_python(str(parsed.requires_python or ""))
    except NoBoxPythonError as error:
        problems.add(where, f"{error}: {_FIELD_HELP['requires-python']}")
    dependencies = tuple(str(requirement) for requirement in parsed.requires_dist or ())
    for text in dependencies:
        if fault := check_dependency(text):
            problems.add(where, fault)
    return WheelMetadata(
        name=parsed.name,
        version=version,
        summary=parsed.summary or "",
        licence=parsed.license_expression or "",
        requires_python=str(parsed.requires_python or ""),
        dependencies=dependencies,
        readme=parsed.description or "",
        authors=read_authors((parsed.author, parsed.maintainer), (parsed.author_email, parsed.maintainer_email)),
        links=read_links([*(parsed.project_urls or {}).items(), ("Homepage", parsed.home_page or "")]),
    )


def _parse(data: bytes, where: str, problems: ProblemList) -> Metadata | None:
    if len(data) > _MAX_METADATA_BYTES:
        problems.add(where, f"has more than {_MAX_METADATA_BYTES} bytes: shorten the README")
        return None
    try:
        return Metadata.from_email(data, validate=True)
    except ExceptionGroup as group:
        for error in group.exceptions:
            field = error.field.lower() if isinstance(error, InvalidMetadata) else ""
            help_text = f": {_FIELD_HELP[field]}" if field in _FIELD_HELP else ""
            said = str(error).splitlines()[0]  # it quotes the whole field
            problems.add(where, f"{said[:_MOST_QUOTED]}{'…' * (len(said) > _MOST_QUOTED)}{help_text}")
    except ValueError as error:
        problems.add(where, f"cannot be read: {error}")
    except RecursionError:
        problems.add(where, "cannot be read: something in it is nested too deeply")
    return None


def check_dist_info(files: dict[str, bytes], dist_info: str, problems: ProblemList) -> None:
    """Checks the folder's name, its members, WHEEL and RECORD. :func:`read_metadata` checks METADATA."""
    for required in ("METADATA", "WHEEL", "RECORD"):
        if f"{dist_info}/{required}" not in files:
            problems.add(
                f"{dist_info}/{required}", "is missing: this is not a complete wheel; build it with `verihub pack`"
            )
    for path in files:
        member = path.removeprefix(f"{dist_info}/")
        if member == "entry_points.txt":
            problems.add(
                path, "a package has no entry points: remove [project.scripts] and its like from pyproject.toml"
            )
        elif member != path and not _DIST_INFO_MEMBER.fullmatch(member):
            problems.add(path, "does not belong in .dist-info: build the wheel with `verihub pack`")
    if (wheel := files.get(f"{dist_info}/WHEEL")) is not None:
        _check_wheel_file(wheel, f"{dist_info}/WHEEL", problems)
    if (record := files.get(f"{dist_info}/RECORD")) is not None:
        _check_record(record, files, f"{dist_info}/RECORD", problems)


def check_dist_info_name(dist_info: str, metadata: WheelMetadata, problems: ProblemList) -> None:
    """``NAME-VERSION.dist-info`` must say what METADATA says."""
    name, _, version = dist_info.removesuffix(".dist-info").rpartition("-")
    try:
        same = (
            canonicalize_name(name) == canonicalize_name(metadata.name)
            and canonical_version(version) == metadata.version
        )
    except InvalidNameError:
        same = False
    if not same:
        problems.add(dist_info, f"does not match METADATA ({metadata.name} {metadata.version}): build the wheel again")


def _check_wheel_file(data: bytes, where: str, problems: ProblemList) -> None:
    # Installers read it as mail headers, which end at the first empty line. Text after it is ignored.
    headers = HeaderParser().parsestr(data.decode("utf-8", "replace"))
    fields = {name: [value.strip() for value in headers.get_all(name, [])] for name in _WHEEL_FIELDS}
    if fields["Tag"] != [TAG]:
        tags = ", ".join(fields["Tag"]) or "none"
        problems.add(where, f"the wheel is tagged {tags}; a package is pure Python: only {TAG} is accepted")
    if [value.lower() for value in fields["Root-Is-Purelib"]] != ["true"]:
        problems.add(where, "Root-Is-Purelib must be true: a package is pure Python")
    if not (len(fields["Wheel-Version"]) == 1 and _WHEEL_VERSION.fullmatch(fields["Wheel-Version"][0])):
        problems.add(where, "Wheel-Version must be 1.x")


def _check_record(data: bytes, files: dict[str, bytes], where: str, problems: ProblemList) -> None:
    """RECORD lists exactly the files, with their hashes and sizes: both directions."""
    try:
        rows = list(csv.reader(data.decode("utf-8").splitlines()))
    except (UnicodeError, csv.Error) as error:
        problems.add(where, f"cannot be read: {error}")
        return
    listed: set[str] = set()
    for number, row in enumerate(rows, start=1):
        if len(row) != 3:
            problems.add(f"{where}:{number}", "a line must have three columns: path, hash, size")
            continue
        path, digest, size = row
        if path in listed:
            problems.add(f"{where}:{number}", f"{path} is listed twice")
        listed.add(path)
        if path not in files:
            problems.add(f"{where}:{number}", f"{path} is listed and not in the wheel")
        elif path != where and not _matches(files[path], digest, size):
            problems.add(
                path, "does not have the hash and size that RECORD states: the wheel was changed after it was built"
            )
    for path in files.keys() - listed:
        problems.add(path, "is in the wheel and not in RECORD: the wheel was changed after it was built")


def _matches(content: bytes, digest: str, size: str) -> bool:
    algorithm = digest.partition("=")[0]
    if algorithm not in _RECORD_ALGORITHMS or size != str(len(content)):
        return False
    return record_hash(content, algorithm) == digest


def record_hash(content: bytes, algorithm: str = "sha256") -> str:
    """A file's hash as RECORD has it: ``sha256=`` and base64 for URLs, without padding."""
    actual = hashlib.new(algorithm, content).digest()
    return f"{algorithm}={base64.urlsafe_b64encode(actual).rstrip(b'=').decode()}"
