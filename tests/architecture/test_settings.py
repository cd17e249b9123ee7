"""Every field of settings is read: an operator who sets one that nothing reads believes in a limit that is not there.

A field counts as read where code asks a settings object for it (``settings.limits.events_burst``), or where a property
or method of its own class uses it. That something has an attribute of the same name is not enough.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ["schemas", "sandbox", "hub_client", "hub_server", "trainer_bridge"]
BASES = {"Settings", "SettingsGroup"}
ALSO = {"TrainSettings", "AuditLimits", "BoxLimits"}
"""Settings that are no ``Settings``: of a training, and of one box."""
OBJECTS = {"settings", "_settings", "limits", "_limits", "knobs", "most", "choice", "slots", "_slots"}
"""What code calls an object of settings. The fields that hold a group (``storage``, ``labels``) come to these."""

Modules = Mapping[str, ast.Module]


def _classes(modules: Modules) -> Iterator[ast.ClassDef]:
    for tree in modules.values():
        for node in tree.body:  # settings stand at the outermost level
            if isinstance(node, ast.ClassDef):
                bases = {ast.unparse(base) for base in node.bases}
                if bases & BASES or node.name in ALSO:
                    yield node


def _fields(kind: ast.ClassDef) -> dict[str, str]:
    """Field -> its type, as it is written."""
    found = (one for one in kind.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name))
    texts = {ast.unparse(one.target): ast.unparse(one.annotation) for one in found}
    return {name: text for name, text in texts.items() if not text.startswith("ClassVar")}


def _reads(nodes: Iterable[ast.AST], objects: set[str]) -> set[str]:
    """Attributes that are asked of one of the objects, by the last part of its name."""
    return {
        node.attr
        for top in nodes
        for node in ast.walk(top)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and _last_name(node.value) in objects
    }


def _last_name(node: ast.AST) -> str:
    """``settings`` of ``work.services.settings``. To write out each of half a million nodes takes seconds."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def unread(modules: Modules) -> list[str]:
    """``Class.field`` of what nothing reads."""
    kinds = list(_classes(modules))
    fields = {kind.name: _fields(kind) for kind in kinds}
    groups = {name for types in fields.values() for name, text in types.items() if text in fields}
    by_others = _reads(modules.values(), OBJECTS | groups)
    found = []
    for kind in kinds:
        # A validator sees a value before it is a setting, and is a class method.
        own = [one for one in kind.body if isinstance(one, ast.FunctionDef) and one.args.args[0].arg == "self"]
        read = by_others | _reads(own, {"self"})
        found += [f"{kind.name}.{name}" for name in fields[kind.name] if name not in read]
    return found


def test_every_setting_is_read() -> None:
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    modules = {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in paths}
    names = {kind.name for kind in _classes(modules)}
    assert {"ServerSettings", "LimitSettings", "SandboxSettings", "ClientSettings", *ALSO} <= names
    assert unread(modules) == []


SETTINGS = """
class Part(SettingsGroup):
    most: int = 1
class Whole(Settings):
    knows_all: ClassVar[bool] = True
    part: Part = Part()
    seconds: float = 1.0
    @field_validator("seconds")
    @classmethod
    def _positive(cls, value): return value
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("use(settings.part.most, settings.seconds)", []),
        ("use(work.services.settings.part.most, self._settings.seconds)", []),
        ("use(settings.part.most, clock.seconds)", ["Whole.seconds"]),
        ("use(settings.seconds)", ["Part.most", "Whole.part"]),
        ("settings.seconds = settings.part.most", ["Whole.seconds"]),
    ],
)
def test_a_setting_that_nothing_reads_is_named(code: str, expected: list[str]) -> None:
    assert unread({"settings.py": ast.parse(SETTINGS), "code.py": ast.parse(code)}) == expected


def test_a_property_of_the_settings_reads_them() -> None:
    code = SETTINGS + "    @property\n    def both(self): return self.seconds + self.part.most\n"
    assert unread({"settings.py": ast.parse(code)}) == []
