"""Data sets of the Hugging Face hub by name, fetched with ``huggingface_hub``; rows are read and no code is run."""

import functools
import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hub_client.errors import HubUnreachableError, NotFoundError, UsageError
from hub_client.imports.draft import Draft, ImportRefusedError, Provenance
from hub_client.imports.registry import Request
from hub_client.imports.sources.rows import SPLITS, Rows
from schemas.extras import how_to_install
from schemas.sources import DATA_SUFFIXES

_LARGEST = 256 << 20
"""The most bytes of the files of one configuration: all rows are read into memory, and a release takes 64 MB."""
_CARD = "README.md"


class HuggingFace(Rows):
    """``OWNER/NAME[@REVISION]``. A folder in it is a configuration, and files or their folders are named after splits.

    With ``--offline`` what was fetched before serves. The access token is that of ``hf auth login``, or HF_TOKEN.
    """

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._name, _, self._revision = request.where.partition("@")

    @functools.cached_property
    def _folder(self) -> Path:
        """The local copy; it is named after the commit."""
        if self._name.count("/") != 1:
            raise UsageError("name a data set of the Hugging Face hub: `verihub import hf:OWNER/DATASET OWNER/NAME`")
        try:
            hub = importlib.import_module("huggingface_hub")
        except ImportError:
            raise UsageError(f"{self._what} needs huggingface_hub: `{how_to_install('huggingface')}`") from None
        return self._fetched(hub)

    def _fetched(self, hub: Any) -> Path:
        errors, offline = hub.errors, self._request.offline
        kind: dict[str, Any] = {"repo_type": "dataset", "revision": self._revision or None}
        try:
            if offline:
                return Path(hub.snapshot_download(self._name, local_files_only=True, **kind))
            there = hub.HfApi().dataset_info(self._name, revision=kind["revision"], files_metadata=True)
            sizes = {each.rfilename: each.size or 0 for each in there.siblings or []}
            chosen = self._chosen(sizes)
            if sum(sizes[path] for path in chosen) > _LARGEST:
                raise ImportRefusedError(
                    f"{self._what} has {sum(sizes[path] for path in chosen) >> 20} MB of rows, and {_LARGEST >> 20} MB "
                    "are the most: take a part of it into a file and import that with rows:"
                )
            return Path(hub.snapshot_download(self._name, allow_patterns=[*chosen, _CARD], **kind))
        except errors.GatedRepoError:
            raise NotFoundError(f"{self._what}: accept its terms on its page first, then `hf auth login`") from None
        except errors.RepositoryNotFoundError:
            raise NotFoundError(f"{self._what} is not there, or you may not see it: `hf auth login`") from None
        except errors.RevisionNotFoundError:
            raise NotFoundError(f"{self._what}: the data set has no such revision") from None
        except (errors.HTTPError, errors.LocalEntryNotFoundError, OSError, ValueError) as error:
            if offline:
                raise HubUnreachableError(
                    f"{self._what} was not fetched before, and --offline forbids fetching it"
                ) from None
            said = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
            raise HubUnreachableError(f"{self._what} could not be fetched: {said}") from None

    @property
    def _what(self) -> str:
        return f"hf:{self._request.where}"

    @functools.cached_property
    def _files(self) -> list[Path]:
        there = (path.relative_to(self._folder).as_posix() for path in self._folder.rglob("*") if path.is_file())
        return [self._folder / path for path in self._chosen(there)]

    def _chosen(self, paths: Iterable[str]) -> list[str]:
        """The files of the one configuration, or of that which ``--arg config=`` names."""
        found: dict[str, list[str]] = {}
        for path in sorted(paths):
            if path.endswith(DATA_SUFFIXES):
                found.setdefault(_configuration(path), []).append(path)
        if not found:
            raise ImportRefusedError(
                f"{self._what} has no .jsonl or .parquet files. The hub's own copy as Parquet may be there: "
                f"hf:{self._name}@refs/convert/parquet"
            )
        wanted = self._request.arguments.get("config", next(iter(found)) if len(found) == 1 else None)
        if wanted not in found:
            raise UsageError(f"{self._what} has several configurations: name one with --arg config={'|'.join(found)}")
        return found[wanted]

    def _split(self, path: Path) -> str:
        return super()._split(path) or SPLITS.get(path.parent.name.lower(), "")

    def _provenance(self, item: str) -> Provenance:
        return Provenance(
            f"hf:{item}", self._folder.name[:12], self._licence(self._folder / _CARD), arguments=self._request.arguments
        )

    def draft(self, item: str) -> Draft:
        """As in :class:`Importer`."""
        unknown = self._request.arguments.keys() - {"config"}
        if unknown:
            raise UsageError(f"hf takes --arg config=NAME alone, and not {', '.join(sorted(unknown))}")
        return super().draft(item)


def _configuration(path: str) -> str:
    """``main/train-0.parquet`` is of ``main``; what lies in no folder, or in ``data``, is of ``default``."""
    folders = [part for part in path.split("/")[:-1] if part != "data" and part.lower() not in SPLITS]
    return "/".join(folders) or "default"
