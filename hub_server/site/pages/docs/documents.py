"""The project's documents as the hub shows them: which there are, in which order, and where their links lead.

Documents are of four kinds, one folder each: tutorials teach, how-to pages solve one problem, reference is looked up,
explanation gives reasons. The README of the project is the first page.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

START = "start"
"""The README: its file lies beside the folder of the documents, its page among theirs."""


@dataclass(frozen=True)
class Kind:
    """One folder of documents. ``slugs`` are its files without ending, in the order to show them."""

    folder: str
    title: str
    lead: str
    slugs: tuple[str, ...]

    def paths(self) -> tuple[str, ...]:
        """The slugs of its documents."""
        return tuple(f"{self.folder}/{slug}" for slug in self.slugs)


KINDS = (
    Kind(
        "tutorials",
        "Tutorials",
        "Learn by doing, one step after another. Start here.",
        ("install", "first_verifier", "first_environment", "first_training_run", "first_benchmark"),
    ),
    Kind(
        "how_to",
        "How to",
        "Recipes for one task each, for readers who know the basics.",
        (
            "train",
            "several_gpus",
            "frameworks",
            "trl",
            "verl",
            "verifiers",
            "openenv",
            "inspect",
            "skyrl_gym",
            "tinker",
            "harbor",
            "nemo_gym",
            "evaluate",
            "improve_a_grade",
            "counter_examples",
            "write_a_suite",
            "collections",
            "discuss",
            "ask_a_model",
            "watch_for_hacking",
            "verifier_in_ci",
            "own_packages",
            "sign_releases",
            "import",
            "bring_a_dataset",
            "bring_a_verifiers_environment",
            "tools",
            "follow_a_hub",
            "run_a_hub",
            "mirror_a_hub",
            "moderate",
            "many_machines",
        ),
    ),
    Kind(
        "reference",
        "Reference",
        "Facts to look up: every command, setting, format and name.",
        (
            "cli",
            "commands",
            "settings",
            "package_format",
            "imports",
            "agents",
            "files",
            "python",
            "python_api",
            "http_api",
            "http_routes",
            "recipes",
            "metrics",
            "audits",
            "judges",
            "field",
            "sandbox_figures",
            "glossary",
        ),
    ),
    Kind(
        "explanation",
        "Explanation",
        "How it works, and why it is made that way.",
        (
            "audit",
            "benchmark_statistics",
            "learning_curves",
            "crowd",
            "sandbox",
            "threat_model",
            "security",
            "images",
            "architecture",
            "pages",
        ),
    ),
)
"""Every document but the list of refusals (``reference/errors``), which is a page of its own."""

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"(?<!\w)\*([^*]+)\*(?!\w)")
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
        """The address at which the hub shows it."""
        return f"/docs/{self.slug}"


@cache
def read_documents() -> dict[str, Document]:
    """All documents by slug, in the order of the kinds, the README first."""
    slugs = (START, *(slug for kind in KINDS for slug in kind.paths()))
    return {slug: _read(slug) for slug in slugs if _file(slug).is_file()}


def by_kind() -> Iterator[tuple[Kind, list[Document]]]:
    """``(kind, its documents)``."""
    documents = read_documents()
    for kind in KINDS:
        yield kind, [documents[slug] for slug in kind.paths() if slug in documents]


def link_from(slug: str, href: str) -> str | None:
    """Where a relative link of a document leads on the hub; None where the hub does not show what it points to."""
    path, _, anchor = href.partition("#")
    folder = ".." if slug == START else posixpath.dirname(slug)
    target = posixpath.normpath(posixpath.join(folder, path)) if path else f"{slug}.md"
    address = _address(target.removesuffix(".md")) if target.endswith(".md") else None
    return f"{address}#{anchor}" if address and anchor else address


def _address(path: str) -> str | None:
    if path == "reference/errors":
        return "/docs/errors"
    if path.startswith("../docs/"):  # as the README names them
        return _address(path.removeprefix("../docs/"))
    if path == "../README":
        path = START
    return f"/docs/{path}" if path in read_documents() else None


def _file(slug: str) -> Path:
    """Beside this module where Verihub is installed, at the root of the project where it is developed."""
    packaged = Path(__file__).with_name("docs")
    if packaged.is_dir():
        return packaged / f"{slug}.md"
    root = Path(__file__).resolve().parents[4]
    return root / "README.md" if slug == START else root / "docs" / f"{slug}.md"


def _read(slug: str) -> Document:
    title, _, text = _file(slug).read_text().partition("\n")
    return Document(slug, title.removeprefix("# ").replace("`", "").strip(), _lead(text), text.strip())


def _lead(text: str) -> str:
    """The first sentence of the first paragraph of prose, without its marks and the addresses of its links."""
    blocks = (" ".join(block.split()) for block in _FENCED.sub("", text).split("\n\n"))
    paragraph = next((block for block in blocks if block and block[0] not in "#|!-"), "")
    plain = _EMPHASIS.sub(r"\1", _LINK.sub(r"\1", paragraph.replace("`", "").replace("**", "")))
    return plain.partition(". ")[0].rstrip(".:") + "."
