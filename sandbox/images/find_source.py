"""Run beside pip, as text: finds the source archive that fits a requirement and downloads it, without unpacking it.

``pip download`` would call the archive's build backend to read its metadata, which is its author's code. So this asks
pip's own finder, with the indexes, proxies and certificates that pip is configured with.
Arguments: the requirement, the boxes' Python, a folder. Prints JSON.
"""

import inspect
import json
import sys
from typing import Any

from pip._internal.commands import create_command


def main(requirement: str, python: str, folder: str) -> None:
    """Print ``{"path", "version"}``, or ``{}`` where no index has one."""
    command: Any = create_command("download")
    # After it: some releases of pip cannot import these by themselves.
    from pip._internal.models.target_python import TargetPython  # noqa: PLC0415
    from pip._internal.network.download import Downloader  # noqa: PLC0415
    from pip._vendor.packaging.requirements import Requirement  # noqa: PLC0415

    with command.main_context():
        arguments = ["--no-input", "--disable-pip-version-check", "--no-binary", ":all:", "-q"]
        options, _ = command.parse_args(arguments)
        session = command.get_default_session(options)
        target = TargetPython(py_version_info=tuple(int(part) for part in python.split(".")))
        finder = command._build_package_finder(options=options, session=session, target_python=target)  # noqa: SLF001 -- no other way
        wanted = Requirement(requirement)
        found = finder.find_best_candidate(wanted.name, wanted.specifier).best_candidate
        if found is None:
            print("{}")  # noqa: T201 -- read by whoever runs this
            return
        wants: tuple[Any, ...] = (session, "off", 3)  # the third, tries to go on, came with pip 25.1
        download = Downloader(*wants[: len(inspect.signature(Downloader).parameters)])
        path, _ = download(found.link, folder)
        print(json.dumps({"path": path, "version": str(found.version)}))  # noqa: T201 -- as above


if __name__ == "__main__":
    main(*sys.argv[1:])
