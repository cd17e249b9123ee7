"""Where things lie in an image, and the labels by which our images are found again."""

IMAGE_FORMAT = 2
"""Part of every digest: raise it when the layout below changes, or what a base holds."""

GUEST_ROOT = "/verihub/guest"
"""Holds ``sandbox/__init__.py`` and ``sandbox/guest/*.py``: on ``sys.path`` it makes ``sandbox.guest`` importable."""
DEPENDENCIES_ROOT = "/verihub/dependencies"
"""The locked wheels' contents, merged, as in a site-packages folder."""
PACKAGE_ROOT = "/verihub/package"
"""The release's wheel, unpacked."""

REPOSITORY = "verihub"
BASE_REPOSITORY = f"{REPOSITORY}/base"
DEPENDENCIES_REPOSITORY = f"{REPOSITORY}/dependencies"
GUEST_REPOSITORY = f"{REPOSITORY}/guest"
PACKAGE_REPOSITORY = f"{REPOSITORY}/package"

LABEL_KIND = "verihub.image"
"""``base``, ``dependencies``, ``guest`` or ``package``."""
LABEL_FORMAT = "verihub.image.format"
LABEL_DIGEST = "verihub.image.digest"
"""``sha256:…`` of what the image is made of."""
LABEL_SOURCE = "verihub.image.source"
"""Base: where it came from. Package: the release's digest. Dependencies: the lock's digest."""
LABEL_BYTES = "verihub.image.bytes"
"""Size of the layers that nothing else shares."""

ENVIRONMENT = ("PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8")
"""All that an image's configuration puts into a process's environment."""


def reference(repository: str, digest: str) -> str:
    """The tag of an image: ``repository:<first 40 hexadecimal digits of digest>``."""
    return f"{repository}:{digest.removeprefix('sha256:')[:40]}"
