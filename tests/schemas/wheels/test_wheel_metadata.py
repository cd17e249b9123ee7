"""METADATA, WHEEL and RECORD as a stranger may write them: what an installer would read otherwise is refused."""

import base64
import csv
import hashlib
import io
from email.parser import HeaderParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from packaging.utils import canonicalize_name

from schemas.wheels.wheel_error import ProblemList
from schemas.wheels.wheel_metadata import WheelMetadata, check_dist_info, check_dist_info_name, read_metadata
from tests.making.wheel import METADATA, WHEEL, wheel_files, with_record

DIST_INFO = "alice_small_sums-1.0.0.dist-info"
SOUND = with_record(wheel_files())


def metadata_text(*lines: str) -> str:
    text = METADATA.replace("{name}", "alice-small-sums").replace("{version}", "1.0.0")
    return text.replace(
        "Requires-Python: >=3.11\n", "".join(f"{line}\n" for line in ("Requires-Python: >=3.11", *lines))
    )


def read(data: str | bytes) -> tuple[WheelMetadata | None, str]:
    problems = ProblemList()
    found = read_metadata(data.encode() if isinstance(data, str) else data, "METADATA", problems)
    return found, "\n".join(part.message for part in problems.parts)


def faults_of(files: dict[str, bytes]) -> str:
    problems = ProblemList()
    check_dist_info(files, DIST_INFO, problems)
    return "\n".join(f"{part.pointer}: {part.message}" for part in problems.parts)


def with_wheel(text: str | bytes) -> dict[str, bytes]:
    data = text.encode() if isinstance(text, str) else text
    files = {path: content for path, content in SOUND.items() if not path.endswith("/RECORD")}
    return with_record(files | {f"{DIST_INFO}/WHEEL": data})


def record_line(path: str, content: bytes, algorithm: str = "sha256") -> str:
    digest = base64.urlsafe_b64encode(hashlib.new(algorithm, content).digest()).rstrip(b"=").decode()
    return f"{path},{algorithm}={digest},{len(content)}"


def with_record_lines(lines: list[str], files: dict[str, bytes] | None = None) -> dict[str, bytes]:
    return {**(files or SOUND), f"{DIST_INFO}/RECORD": ("\n".join(lines) + "\n").encode()}


def sound_lines() -> list[str]:
    return SOUND[f"{DIST_INFO}/RECORD"].decode().splitlines()


def test_sound_metadata_is_read_whole() -> None:
    found, faults = read(metadata_text("Requires-Dist: six>=1.16", "Requires-Dist: tomli; python_version < '3.11'"))
    assert faults == ""
    assert found is not None
    assert (found.name, found.version, found.summary) == ("alice-small-sums", "1.0.0", "Sums of small numbers")
    assert (found.licence, found.requires_python) == ("Apache-2.0", ">=3.11")
    assert found.dependencies == ("six>=1.16", 'tomli; python_version < "3.11"')
    assert found.readme == "# Small sums\n"


def test_a_version_has_its_canonical_form() -> None:
    found, _ = read(metadata_text().replace("Version: 1.0.0", "Version: v1.0-RC1"))
    assert found is not None
    assert found.version == "1.0rc1"


def test_every_missing_part_is_named_at_once() -> None:
    bare = "Metadata-Version: 2.4\nName: a-b\nVersion: 1\nRequires-Dist: x @ https://example.org/x.whl\n"
    _, faults = read(bare)
    for word in ("licence is missing", "summary is missing", "points to a URL"):
        assert word in faults


@pytest.mark.parametrize(
    "line",
    [
        "Requires-Dist: six; " + "(" * 3000 + "os_name == 'posix'" + ")" * 3000,
        "Requires-Dist: six; os_name ~= 'posix'",
        "Requires-Dist: six>=" + "1" * 5000,
        "Requires-Dist: six @ file:///etc/passwd",
        "Requires-Dist: six @ git+https://example.org/six",
        "Requires-Dist: ../six",
        "Requires-Python: >=3.12",
        "Version: 2.0.0",
        "Name: somebody-else",
        "Metadata-Version: 9.9",
        "License-Expression: MIT",
    ],
    ids=lambda line: line[:40],
)
def test_a_hostile_or_doubled_field_is_a_fault_and_never_an_exception(line: str) -> None:
    _, faults = read(metadata_text(line))
    assert faults
    assert len(faults) < 3000


def test_a_version_of_five_thousand_digits_is_a_fault() -> None:
    _, faults = read(metadata_text().replace("Version: 1.0.0", "Version: " + "1" * 5000))
    assert faults


def test_metadata_has_a_ceiling() -> None:
    _, faults = read(metadata_text() + "x" * 2**20)
    assert "shorten the README" in faults


@settings(max_examples=40, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.text(max_size=200).map(lambda text: metadata_text(f"Requires-Dist: {text}").encode("utf-8", "replace")),
    )
)
@example(b"\xff")
@example(b"Name\n\n")
@example(metadata_text("Requires-Dist: \u2028 x").encode())
def test_any_bytes_are_metadata_or_faults(data: bytes) -> None:
    found, faults = read(data)
    assert found is not None or faults


@pytest.mark.parametrize(
    ("folder", "fits"),
    [
        ("alice_small_sums-1.0.0.dist-info", True),
        ("Alice.Small_Sums-1.0.0.dist-info", True),
        ("alice_small_sums-1.0.dist-info", False),
        ("alice_small_sums-1.0.0.0+x.dist-info", False),
        ("alice_other-1.0.0.dist-info", False),
        ("alice_small_sums.dist-info", False),
        ("-1.0.0.dist-info", False),
        ("alice_small_sums-" + "9" * 5000 + ".dist-info", False),
    ],
)
def test_the_folder_says_what_the_metadata_say(folder: str, fits: bool) -> None:
    found, _ = read(metadata_text())
    assert found is not None
    problems = ProblemList()
    check_dist_info_name(folder, found, problems)
    assert bool(problems) is not fits
    if fits:
        assert canonicalize_name(folder.removesuffix("-1.0.0.dist-info")) == found.name


@pytest.mark.parametrize("member", ["METADATA", "WHEEL", "RECORD"])
def test_a_missing_member_is_named(member: str) -> None:
    files = {path: content for path, content in SOUND.items() if path != f"{DIST_INFO}/{member}"}
    assert f"{DIST_INFO}/{member}: is missing" in faults_of(files)


@pytest.mark.parametrize(
    "member", ["licenses/LICENSE", "licenses/third/MIT.txt", "top_level.txt", "sboms/a.json", "LICENSE.md", "NOTICE"]
)
def test_licences_and_their_like_may_lie_beside_the_metadata(member: str) -> None:
    files = {path: content for path, content in SOUND.items() if not path.endswith("/RECORD")}
    assert faults_of(with_record(files | {f"{DIST_INFO}/{member}": b"text"})) == ""


@pytest.mark.parametrize(
    "member", ["entry_points.txt", "direct_url.json", "INSTALLER", "REQUESTED", "RECORD.jws", "deps/METADATA", "x.py"]
)
def test_nothing_else_may(member: str) -> None:
    files = {path: content for path, content in SOUND.items() if not path.endswith("/RECORD")}
    assert f"{DIST_INFO}/{member}: " in faults_of(with_record(files | {f"{DIST_INFO}/{member}": b"text"}))


@pytest.mark.parametrize(
    "text",
    [
        "Generator: x\x0bTag: py3-none-any\nWheel-Version: 1.0\nRoot-Is-Purelib: true\n",
        "Generator: x\u2028Root-Is-Purelib: true\nWheel-Version: 1.0\nTag: py3-none-any\nRoot-Is-Purelib: false\n",
        "Wheel-Version: 1.0\n\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        WHEEL + "Root-Is-Purelib: false\n",
        WHEEL + "Wheel-Version: 2.0\n",
        WHEEL + "Tag: cp311-cp311-linux_x86_64\n",
        WHEEL.replace("Wheel-Version: 1.0", "Wheel-Version: 2.0"),
        WHEEL.replace("Wheel-Version: 1.0", "Wheel-Version: 1.evil"),
        WHEEL.replace("Root-Is-Purelib: true", "Root-Is-Purelib: truely"),
        WHEEL.replace("Tag: py3-none-any", ""),
        "",
        "\x00",
    ],
)  # fmt: skip
def test_what_an_installer_would_read_otherwise_is_refused(text: str) -> None:
    assert f"{DIST_INFO}/WHEEL: " in faults_of(with_wheel(text))


@settings(max_examples=80, deadline=None)
@given(
    st.text(alphabet=st.sampled_from("WTaheltgpRo-IsPury3none:1.0 \n\r\x0b\x0c\x1c\x85\u2028\t"), max_size=80),
    st.booleans(),
)
def test_a_wheel_file_is_accepted_only_if_an_installer_reads_the_same(noise: str, before: bool) -> None:
    text = noise + WHEEL if before else WHEEL + noise
    if faults_of(with_wheel(text)) == "":
        headers = HeaderParser().parsestr(text)
        assert [value.strip().lower() for value in headers.get_all("root-is-purelib", [])] == ["true"]
        assert [value.strip() for value in headers.get_all("tag", [])] == ["py3-none-any"]


@pytest.mark.parametrize("algorithm", ["sha256", "sha384", "sha512"])
def test_a_record_may_use_any_hash_that_is_safe(algorithm: str) -> None:
    path = "alice_small_sums/__init__.py"
    lines = [line for line in sound_lines() if path not in line]
    assert faults_of(with_record_lines([*lines, record_line(path, SOUND[path], algorithm)])) == ""


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha224", "blake2b"])
def test_a_weak_or_unusual_hash_is_refused(algorithm: str) -> None:
    path = "alice_small_sums/__init__.py"
    lines = [line for line in sound_lines() if path not in line]
    assert "hash and size" in faults_of(with_record_lines([*lines, record_line(path, SOUND[path], algorithm)]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: [*lines, lines[0]], "listed twice"),
        (lambda lines: lines[1:], "not in RECORD"),
        (lambda lines: [*lines, "alice_small_sums/ghost.py,sha256=x,1"], "not in the wheel"),
        (lambda lines: [*lines, "one,two"], "three columns"),
        (lambda lines: [lines[0] + ",four", *lines[1:]], "three columns"),
        (lambda lines: [lines[0].rsplit(",", 1)[0] + ",", *lines[1:]], "hash and size"),
        (lambda lines: [lines[0].rsplit(",", 1)[0] + ",0" + lines[0].rsplit(",", 1)[1], *lines[1:]], "hash and size"),
        (lambda lines: [lines[0].split("sha256=")[0] + ",", *lines[1:]], "hash and size"),
        (lambda lines: [f'"{"x" * 200_000}",,', *lines], "cannot be read"),
    ],
)  # fmt: skip
def test_a_record_that_is_not_exactly_the_files_is_refused(change, words: str) -> None:
    assert words in faults_of(with_record_lines(change(sound_lines())))


def test_a_record_that_is_no_text_is_refused() -> None:
    assert "cannot be read" in faults_of({**SOUND, f"{DIST_INFO}/RECORD": b"\xff\xfe"})


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
@example(b"")
def test_any_record_is_judged_without_an_exception(data: bytes) -> None:
    assert faults_of({**SOUND, f"{DIST_INFO}/RECORD": data})


@settings(max_examples=30, deadline=None)
@given(st.permutations(sound_lines()))
def test_the_order_of_a_record_means_nothing(lines: list[str]) -> None:
    assert faults_of(with_record_lines(lines)) == ""
    written = csv.reader(io.StringIO("\n".join(lines)))
    assert {row[0] for row in written} == set(SOUND)
