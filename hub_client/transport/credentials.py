"""Tokens on disk: one for each hub, in a file that only its owner can read."""

import os
import tomllib
from pathlib import Path

import tomlkit
from filelock import FileLock

from hub_client.errors import HubClientError

FILE_NAME = "credentials.toml"


class CredentialsFile:
    """``credentials.toml`` in the configuration folder: exact origin -> account and token.

    The key is the hub's URL as it was given, without any normalisation. Two spellings are two hubs, so a token can
    never reach a look-alike.
    """

    def __init__(self, config_dir: Path) -> None:
        self.path = config_dir / FILE_NAME

    def find(self, url: str) -> tuple[str, str] | None:
        """(account name, token) for ``url``, or None."""
        entry = self._read().get(url)
        return (entry["account"], entry["token"]) if entry else None

    def store(self, url: str, account: str, token: str) -> None:
        """Keep ``token`` for ``url``, replacing what was there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._locked():
            self._write({**self._read(), url: {"account": account, "token": token}})

    def forget(self, url: str) -> bool:
        """Drop the token for ``url``; False when there was none."""
        if self.find(url) is None:
            return False
        with self._locked():
            self._write({key: value for key, value in self._read().items() if key != url})
        return True

    def _locked(self) -> FileLock:
        return FileLock(self.path.with_suffix(".lock"), timeout=10)

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            table = tomllib.loads(self.path.read_text(encoding="utf-8"))
            hubs = table.get("hubs", {})
            return {url: {name: _text(entry[name]) for name in ("account", "token")} for url, entry in hubs.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            what = "" if isinstance(error, KeyError | TypeError | AttributeError) else f" ({error})"
            raise HubClientError(f"{self.path} cannot be read{what}: delete it and log in again") from None

    def _write(self, entries: dict[str, dict[str, str]]) -> None:
        """Replace the file at once; it is private from its first byte."""
        text = tomlkit.dumps({"hubs": entries})
        fresh = self.path.with_suffix(f".{os.getpid()}.new")
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        fresh.replace(self.path)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("an account or token is no text")
    return value
