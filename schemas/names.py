"""Owner, name, version, digest and reference: what is valid, decided once."""

import hashlib
import re
from functools import lru_cache
from typing import Annotated, Self

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import AfterValidator, StringConstraints

from schemas.base import WireModel

OWNER_PATTERN = r"[a-z0-9]{2,39}"
NAME_PATTERN = r"[a-z0-9]+(?:-[a-z0-9]+)*"
DIGEST_PATTERN = r"sha256:[0-9a-f]{64}"
REWARD_NAME_PATTERN = r"[a-z][a-z0-9_]{0,63}"
LATEST = "latest"
MAX_NAME = 100  # chosen, not measured
MAX_PACKAGE_ID = 39 + 1 + MAX_NAME
"""Most characters of ``owner/name``: those of ``OWNER_PATTERN``, the slash, those of a name."""
MAX_VERSION = 100
"""Most characters of a version.

Python refuses to parse integers of more than 4300 digits, and a version may be one integer.
"""
MAX_SELECTOR = 300  # chosen: a digest has 71 characters, a range a few dozen

_PACKAGE_ID = re.compile(rf"(?P<owner>{OWNER_PATTERN})/(?P<name>{NAME_PATTERN})")
_DIGEST = re.compile(DIGEST_PATTERN)


class InvalidNameError(ValueError):
    """A name, version or reference that is not valid; the message says what would be."""


def canonical_version(text: str) -> str:
    """Return the canonical PEP 440 form of ``text``; local versions (``1.0+x``) are refused."""
    if len(text) > MAX_VERSION:
        raise InvalidNameError(f"a version has at most {MAX_VERSION} characters; this one has {len(text)}")
    return _canonical(text)


@lru_cache(4096)  # a list of 100 packages names 160 versions, of which many are the same
def _canonical(text: str) -> str:
    try:
        version = Version(text)
    except InvalidVersion:
        raise InvalidNameError(f"{text!r} is not a PEP 440 version, for example 1.2.0") from None
    if version.local is not None:
        raise InvalidNameError(
            f"{text!r} is a local version; a release needs a public one, for example {version.public}"
        )
    return str(version)


def check_package_id(text: str) -> str:
    """Return ``text`` when it is ``owner/name``; say what is wrong otherwise."""
    parts = _PACKAGE_ID.fullmatch(text)
    if parts is None:
        raise InvalidNameError(
            f"{text!r} is not owner/name: owner is 2 to 39 of a-z and 0-9{near_owner(text.partition('/')[0])}, "
            "name is words of a-z and 0-9 joined by single hyphens"
        )
    if len(parts["name"]) > MAX_NAME:
        raise InvalidNameError(
            f"{text!r} is not owner/name: a name has at most {MAX_NAME} characters; this one has {len(parts['name'])}"
        )
    return text


def near_owner(text: str) -> str:
    """`` (ourlab would do)``: a name for an owner, made of one that is none; empty where none can be made."""
    made = re.sub(r"[^a-z0-9]", "", text.lower())
    return f" ({made} would do)" if made != text and re.fullmatch(OWNER_PATTERN, made) else ""


PATTERN_WORDS = {f"^{OWNER_PATTERN}$": "2 to 39 of a-z and 0-9"}
"""What the pattern of a name asks for, in words."""
Owner = Annotated[str, StringConstraints(pattern=rf"^{OWNER_PATTERN}$")]
PackageId = Annotated[str, AfterValidator(check_package_id)]
VersionText = Annotated[str, AfterValidator(canonical_version)]
Digest = Annotated[str, StringConstraints(pattern=rf"^{DIGEST_PATTERN}$")]
RewardName = Annotated[str, StringConstraints(pattern=rf"^{REWARD_NAME_PATTERN}$")]


def digest_of(data: bytes) -> str:
    """``sha256:`` and the hexadecimal SHA-256 of ``data``."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def names_package(text: str) -> bool:
    """Whether ``text`` is meant as a package (``owner/name``, perhaps with ``@…``) where a name alone may stand too.

    No name of an owner, a recipe or a function has a slash. Whether the package's name is valid is not asked.
    """
    return "/" in text


def names_release(text: str) -> bool:
    """Whether ``text`` names releases of a package (``owner/name@…``), and not the package as a whole."""
    return "@" in text


def split_release(text: str) -> tuple[str, str]:
    """``owner/name@1.2.0`` -> ``(owner/name, 1.2.0)``; the second is empty when nothing follows. Neither is checked."""
    package, _, selector = text.partition("@")
    return package, selector


def split_package_id(package_id: str) -> tuple[str, str]:
    """``owner/name`` -> ``(owner, name)``."""
    owner, name = check_package_id(package_id).split("/")
    return owner, name


def distribution_name(package_id: str) -> str:
    """``owner/name`` -> ``owner-name``, the name that pip sees. Owners have no hyphen, so it can be split again."""
    return check_package_id(package_id).replace("/", "-")


def import_name(package_id: str) -> str:
    """``owner/some-name`` -> ``owner_some_name``, the wheel's only top-level import."""
    return check_package_id(package_id).replace("/", "_").replace("-", "_")


class Reference(WireModel):
    """A package, and which of its releases: a version range, a digest, or nothing (= latest).

    - ``owner/name`` and ``owner/name@latest``: the newest eligible release.
    - ``@1.2.0``: exactly that release.
    - ``@>=1,<2``: the newest in the range.
    - ``@sha256:…``: the release with these bytes.
    """

    package: PackageId
    version: str | None = None
    specifier: str | None = None
    digest: Digest | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a reference from its text. Raises ``ValueError`` with what would be valid."""
        package, selector = split_release(text.strip())
        check_package_id(package)
        if len(selector) > MAX_SELECTOR:
            raise InvalidNameError(f"what follows {package}@ has {len(selector)} characters; at most {MAX_SELECTOR}")
        if selector in ("", LATEST):
            return cls(package=package)
        if _DIGEST.fullmatch(selector):
            return cls(package=package, digest=selector)
        if selector[0].isdigit():
            return cls(package=package, version=canonical_version(selector))
        try:
            return cls(package=package, specifier=str(SpecifierSet(selector)))
        except InvalidSpecifier:
            raise InvalidNameError(
                f"{selector!r} in {text!r} is none of: latest, a version (1.2.0), a range (>=1,<2), sha256:…"
            ) from None

    def __str__(self) -> str:
        return self.package if self.selector == LATEST else f"{self.package}@{self.selector}"

    @property
    def selector(self) -> str:
        """What stands after the ``@``: a version, a range or a digest, else ``latest``."""
        return self.version or self.specifier or self.digest or LATEST

    @property
    def is_exact(self) -> bool:
        """True when the reference can only ever mean the same bytes."""
        return self.version is not None or self.digest is not None

    def choose(self, versions: list[str]) -> str | None:
        """The highest of ``versions`` that this reference admits (pre-releases only if it names one)."""
        if self.version is not None:
            return self.version if self.version in {canonical_version(v) for v in versions} else None
        ordered = sorted((Version(v) for v in versions), reverse=True)
        if self.specifier is not None:
            admitted = list(SpecifierSet(self.specifier).filter(ordered))
        else:
            admitted = [v for v in ordered if not v.is_prerelease]
        return str(admitted[0]) if admitted else None
