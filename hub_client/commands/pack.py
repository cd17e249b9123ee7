"""``verihub pack``: a project folder to its wheel."""

from pathlib import Path
from typing import Annotated

import typer

from hub_client.files import write_atomically
from hub_client.packaging.pack import pack as pack_folder
from hub_client.releases.cache import Cache
from hub_client.settings import ClientSettings
from hub_client.terminal.output import Output, table


def pack(
    folder: Annotated[Path, typer.Argument(help="The project.")] = Path(),
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where the wheel goes.")] = Path("dist"),
    list_files: Annotated[
        bool, typer.Option("--list", help="List the files that the wheel would hold; write nothing.")
    ] = False,
    relock: Annotated[bool, typer.Option(help="Choose the versions of dependencies anew.")] = False,
) -> None:
    """Build a package's wheel: the same files give the same bytes.

    \b
    Examples:
      verihub pack
      verihub pack ./final-number --list
      verihub pack --relock --out dist
    """
    settings = ClientSettings.load()
    output = Output(settings)
    packed = pack_folder(folder, Cache(settings.cache_dir), relock=relock, trust_build=settings.trust_build)
    facts = {
        "id": packed.contents.manifest.id,
        "version": packed.contents.metadata.version,
        "digest": packed.digest,
        "size_bytes": len(packed.data),
        "files": packed.contents.release_files,
    }
    if list_files:
        listing = table("size", "path")
        for file in packed.contents.release_files:
            listing.add_row(str(file.size), file.path)
        output.result(facts, human=listing, quiet="\n".join(file.path for file in packed.contents.release_files))
        return
    out.mkdir(parents=True, exist_ok=True)
    path = out / packed.file_name
    write_atomically(path, packed.data)
    human = f"{path}  {len(packed.data)} bytes  {packed.digest}"
    output.result({"path": str(path), **facts}, human=human, quiet=str(path))
