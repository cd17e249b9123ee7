"""``python scripts/fast_install.py ARGUMENTS…`` is ``uv pip install ARGUMENTS…`` with what pip is configured to use.

uv takes a third of pip's CPU time, and reads no configuration of pip's: an index, a folder of wheels or constraints
that a machine prescribes must hold here as well. A setting that uv has no equal of ends it with 3: pip has to do it.
Standard library alone: it runs before anything is installed.
"""

import ast
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_EQUALS = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "constraint": "UV_CONSTRAINT",
    "cert": "SSL_CERT_FILE",
    "timeout": "UV_HTTP_TIMEOUT",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "trusted-host": "UV_INSECURE_HOST",
}
"""What pip calls a setting: the variable by which uv takes it."""
_BETWEEN = {"find-links": ","}
"""What stands between several values of a variable, where it is no space."""
_PIPS_OWN = {
    *("cache-dir", "compile", "disable-pip-version-check", "no-cache-dir", "no-color", "no-compile", "no-input"),
    *("no-warn-script-location", "progress-bar", "quiet", "require-virtualenv", "retries", "root-user-action"),
    *("use-feature", "verbose"),
}
"""Settings that say how pip works and not what is installed."""
_SECTIONS = ("global", "install", ":env:")
"""Later ones overrule earlier ones, as for ``pip install``."""


class NoEqualError(Exception):
    """pip is configured in a way that uv cannot follow."""


def settings_of(listed: str) -> dict[str, str]:
    """What holds for ``pip install``, from what ``pip config list`` prints: lines of ``section.name='value'``."""
    found: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.partition(".")
        if section in found:
            found[section][name.removeprefix("install.")] = str(ast.literal_eval(value))
    return {name: value for section in _SECTIONS for name, value in found[section].items()}


def environment_of(settings: Mapping[str, str]) -> dict[str, str]:
    """The variables that make uv do the same. A setting without an equal raises ``NoEqualError``."""
    made: dict[str, str] = {}
    for name, value in settings.items():
        if name in _EQUALS:
            made[_EQUALS[name]] = _BETWEEN.get(name, " ").join(value.split())
        elif name not in _PIPS_OWN:
            raise NoEqualError(name)
    # pip takes the best version of all indexes, uv by itself that of the first index which knows the name.
    if "UV_INDEX" in made:
        made["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    return made


def main(arguments: Sequence[str]) -> int:
    """Returns uv's exit code, or 3."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    listed = subprocess.run([*pip, "config", "list"], capture_output=True, text=True, check=True).stdout
    try:
        given = environment_of(settings_of(listed))
    except NoEqualError as error:
        print(f"uv knows no equal of pip's setting {error}")
        return 3
    uv = Path(sys.executable).with_name("uv")
    command = [str(uv), "pip", "install", "--python", sys.executable, *arguments]
    return subprocess.run(command, env=given | os.environ, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
