"""The key that one signs with: made once, for its owner's eyes."""

from pathlib import Path

import pytest

from hub_client.errors import IntegrityError, UsageError
from hub_client.integrity.author_keys import AuthorKeyFile


def test_a_key_is_made_once_for_each_hub_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    file = AuthorKeyFile(tmp_path, "https://hub.example")
    assert file.find() is None
    made = file.make()
    again = file.make()
    assert made.private_bytes_raw() == again.private_bytes_raw()
    assert file.path.stat().st_mode & 0o077 == 0
    assert AuthorKeyFile(tmp_path, "https://other.example").find() is None
    file.forget()
    file.forget()
    assert file.find() is None


def test_a_key_that_others_may_read_or_that_is_damaged_signs_nothing(tmp_path: Path) -> None:
    file = AuthorKeyFile(tmp_path, "https://hub.example")
    file.make()
    file.path.chmod(0o644)
    with pytest.raises(UsageError, match="chmod 600"):
        file.find()
    file.path.chmod(0o600)
    file.path.write_text("no key")
    with pytest.raises(IntegrityError, match="no Ed25519 key"):
        file.make()
