"""The project's documents as the hub shows them: which there are, in which order, and where their links lead."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SHELVES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Publish and measure", ("package_format", "audit", "crowd", "audits", "cli", "tools")),
    ("Train and evaluate", ("client", "trainer", "recipes", "evaluation", "adapters")),
    ("Run it", ("server", "sandbox", "many_machines", "images", "threat_model")),
    ("Understand it", ("architecture", "glossary", "pages", "reference/api")),
)
"""Every document but the list of refusals, which is a page of its own."""

_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Document:
    """One Markdown file. ``slug`` is its path below ``docs`` without the ending."""

    slug: str
    title: str
    lead: str
    text: str
    """All of it, without its title."""

    @property
    def address(self) -> str:
        """Where the hub shows it."""
        return f"/docs/{self.slug}"


@cache
def read_documents() -> dict[str, Document]:
    """By slug, in the order of the shelves."""
    folder = _folder()
    return {slug: _read(folder, slug) for _, slugs in SHELVES for slug in slugs if (folder / f"{slug}.md").is_file()}


def shelved() -> Iterator[tuple[str, list[Document]]]:
    """``(shelf, its documents)``."""
    documents = read_documents()
    for title, slugs in SHELVES:
        yield title, [documents[slug] for slug in slugs if slug in documents]


def link_from(slug: str, href: str) -> str | None:
    """Where a relative link of a document leads on the hub; None where the hub does not show what it points to."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(slug), href.partition("#")[0]))
    target = path.removesuffix(".md")
    if target == "reference/errors":
        return "/docs/errors"
    return f"/docs/{target}" if path.endswith(".md") and target in read_documents() else None


def _folder() -> Path:
    """Beside this module where Verihub is installed, at the root of the project where it is developed."""
    packaged = Path(__file__).with_name("docs")
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "docs"


def _read(folder: Path, slug: str) -> Document:
    title, _, text = (folder / f"{slug}.md").read_text().partition("\n")
    return Document(slug, title.removeprefix("# ").strip(), _lead(text), text.strip())


def _lead(text: str) -> str:
    """The first sentence of the first paragraph of prose, without its marks."""
    blocks = (" ".join(block.split()) for block in _FENCED.sub("", text).split("\n\n"))
    paragraph = next((block for block in blocks if block and block[0] not in "#|!-"), "")
    return paragraph.replace("`", "").replace("**", "").partition(". ")[0].rstrip(".:") + "."
