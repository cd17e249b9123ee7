"""What kind of thing a text names is told apart where texts are parsed, and not by its characters where it is used.

``schemas.names`` tells a package from a name alone and a release from a package, ``schemas.sources`` the references of
a manifest, ``schemas.hosts`` an IPv6 address from a host name, ``schemas.emails`` an e-mail address. Whether a URL
holds a user name is asked of ``urlsplit(…).username``.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ["schemas", "sandbox", "hub_client", "hub_server", "trainer_bridge", "scripts"]
MARKS = {"/", ":", "@"}
MAY_BE_THERE = re.compile("|".join(f"[\"']{re.escape(mark)}[\"']" for mark in sorted(MARKS))).search
"""Most modules have no text of just such a character, and are not parsed."""
CUTS = {"partition", "rpartition", "split", "rsplit"}
"""At an ``@`` nobody cuts either: what stands before it is a package, a mailbox or a user name."""

# Module -> why it looks for the character. Each is no reference to a package, a file or an address of ours.
MAY_LOOK = {
    "schemas/names.py": "tells packages from names and releases from packages, for all",
    "schemas/emails.py": "tells e-mail addresses, for all",
    "schemas/sources.py": "tells a generator from a file, for all",
    "sandbox/audit/exploits/other_answers.py": "the slash of a fraction",
    "sandbox/audit/probes/benign_notation.py": "the slash of a fraction",
    "sandbox/cluster/links/ray.py": "parses an address of Ray's",
    "hub_client/imports/sources/hugging_face.py": "a data set and its revision",
    "trainer_bridge/models/names.py": "a model and its revision",
    "hub_server/trusted_publishing/rules.py": "a workflow and its Git reference",
    "hub_server/adapters/smtp_mailer.py": "the domain of the sender that the operator set",
}


def looks(tree: ast.Module) -> list[int]:
    """The lines that ask whether a text has one of the characters, or that cut it at an ``@``."""
    return [node.lineno for node in ast.walk(tree) if _asks(node) or _cuts(node)]


def _asks(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.In | ast.NotIn)
        and isinstance(node.left, ast.Constant)
        and node.left.value in MARKS
    )


def _cuts(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CUTS
        and any(isinstance(argument, ast.Constant) and argument.value == "@" for argument in node.args)
    )


def test_no_module_guesses_by_a_character_what_a_text_names() -> None:
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in paths}
    found = {name: looks(ast.parse(text)) for name, text in texts.items() if MAY_BE_THERE(text)}
    assert {name: lines for name, lines in found.items() if lines and name not in MAY_LOOK} == {}
    assert {name for name in MAY_LOOK if not found.get(name)} == set(), "no longer so: take its reason out"


@pytest.mark.parametrize(
    "text",
    [
        'is_package = "/" in what',
        "if ':' not in text: pass",
        "x = [a for a in b if ':' in a]",
        'a = "@" in b',
        'a.split("@")[0]',
        'a.rpartition("@")',
    ],
)
def test_a_guess_is_seen(text: str) -> None:
    assert looks(ast.parse(text)) == [1]
    assert MAY_BE_THERE(text)


@pytest.mark.parametrize("text", ['what.partition("/")', '"/" == what', '"a/b" in names', "names_package(what)"])
def test_parsing_is_none(text: str) -> None:
    assert looks(ast.parse(text)) == []
